#pragma once

// Words of a command line, as exec and posix_spawn take them.

#include <string>
#include <vector>

namespace bvhmill::testing {

// Points to each of `words`, which must outlive it, and ends with null.
inline std::vector<char*> Argv(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) {
    out.push_back(const_cast<char*>(word.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace bvhmill::testing
