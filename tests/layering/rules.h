#pragma once

// The rules about sources, and the check of one file against them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

// A folder and what its files may include besides their own folder: folders
// and single headers.
struct Layer {
  std::string_view folder;
  std::string_view may_include;
};

// Third-party headers, by the beginning of their name, and the folders that may
// include them.
struct ThirdParty {
  std::string_view beginning;
  std::string_view folders;
};

// The tables, in table.cc.
std::span<const Layer> Layers();
std::span<const ThirdParty> ThirdParties();
// The beginnings of paths.
std::span<const std::string_view> WithoutGrpc();
std::span<const std::string_view> BannedInLibrary();
std::span<const std::string_view> BannedInHeaders();

// Checks the file `path` (from the root of the source tree), which holds
// `text`. Returns one "PATH:LINE: why" for each fault; empty if there is none.
std::vector<std::string> CheckSource(std::string_view path,
                                     std::string_view text);

// Checks the rules that hold for all files, tests included: columns, #pragma
// once.
std::vector<std::string> CheckShape(std::string_view path,
                                    std::string_view text);

}  // namespace bvhmill::testing
