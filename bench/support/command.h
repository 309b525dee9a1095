#pragma once

// Commands of the shell, for tests and benches.

#include <array>
#include <cstdio>
#include <string>

namespace bvhmill::bench {

// Runs a command, and adds what it prints, errors included, to `*text`. Returns
// its status as waitpid gives it.
inline int RunCommand(const std::string& command, std::string* text) {
  FILE* const pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  std::array<char, 4096> buffer;
  for (size_t got = 0;
       (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text->append(buffer.data(), got);
  }
  return pclose(pipe);
}

}  // namespace bvhmill::bench
