#pragma once

// Commands of the pages for operators, which tests run as they stand there.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "bench/support/command.h"
#include "tests/support/files.h"

namespace bvhmill::testing {

// The first block of code after `marker` in a page of docs/, with words of
// capitals (DIR) replaced.
inline std::string DocCommands(
    const std::string& page, const std::string& marker,
    const std::map<std::string, std::string>& words) {
  const std::string text = ReadFile(SourceFile("docs/" + page));
  const size_t at = text.find(marker);
  if (at == std::string::npos) {
    ADD_FAILURE() << page << " has no " << marker;
    return "false";
  }
  std::istringstream lines(text.substr(at));
  std::string commands;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    ")) {
      commands += line.substr(4) + "\n";
    } else if (!commands.empty()) {
      break;
    }
  }
  for (const auto& [word, value] : words) {
    for (size_t i = commands.find(word); i != std::string::npos;
         i = commands.find(word, i + value.size())) {
      commands.replace(i, word.size(), value);
    }
  }
  return commands;
}

// Runs them with the programs of `path` first; what they print.
inline std::string RunCommands(const std::string& path,
                               const std::string& commands) {
  std::string said;
  const int status = bench::RunCommand(
      "set -e; PATH='" + path + "':$PATH\n" + commands, &said);
  EXPECT_EQ(status, 0) << commands << said;
  return said;
}

}  // namespace bvhmill::testing
