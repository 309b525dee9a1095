#pragma once

// The lengths of files, functions and folders, and their limits. Functions are
// found by their braces: `text` must be formatted C++ without raw strings that
// hold braces.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

inline constexpr size_t kMaxFileLines = 600;
inline constexpr size_t kMaxFunctionLines = 60;
// Files .cc in a folder, without those of its folders.
inline constexpr size_t kMaxUnits = 20;

// A definition of a function, from the first line of its declaration to its
// closing brace. Lambdas and local classes are a part of their function.
struct FunctionLines {
  // From 0.
  size_t first = 0;
  size_t count = 0;
};

std::vector<FunctionLines> FunctionsIn(std::string_view text);

// Returns the number of lines, with a last one that has no end.
size_t LinesIn(std::string_view text);

// Checks the file `path`, which holds `text`. Returns one "PATH:LINE: why" for
// each function and each file that is too long; empty if there is none.
std::vector<std::string> CheckLengths(std::string_view path,
                                      std::string_view text);

// Returns one "FOLDER: why" for each folder of `paths` with too many units.
std::vector<std::string> CheckFolders(std::span<const std::string> paths);

// A file that may have more than kMaxFileLines, and the reason.
struct LongFile {
  std::string_view path;
  std::string_view reason;
};

// The table, in table.cc.
std::span<const LongFile> LongFiles();

}  // namespace bvhmill::testing
