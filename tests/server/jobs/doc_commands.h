#pragma once

// Commands of the pages for operators, which tests run as they stand there.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "bench/support/child_process.h"
#include "tests/support/files.h"

namespace bvhmill::testing {

// Reads a page of docs/. Returns the first indented block after `marker`, up to
// its first blank line, with each word of `words` replaced by its value
// everywhere. Adds a failure and returns "false" if there is no marker or no
// block.
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
  if (commands.empty()) {
    ADD_FAILURE() << page << " has no block after " << marker;
    return "false";
  }
  for (const auto& [word, value] : words) {
    for (size_t i = commands.find(word); i != std::string::npos;
         i = commands.find(word, i + value.size())) {
      commands.replace(i, word.size(), value);
    }
  }
  return commands;
}

// Runs `commands` in a shell with the folder `path` first in PATH. Expects exit
// status 0. Returns their output and errors.
inline std::string RunCommands(const std::string& path,
                               const std::string& commands) {
  std::string said;
  const int status = bench::RunCommand(
      "set -e; PATH='" + path + "':$PATH\n" + commands, &said);
  EXPECT_EQ(status, 0) << commands << said;
  return said;
}

}  // namespace bvhmill::testing
