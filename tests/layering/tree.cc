#include "tests/layering/tree.h"

#include <algorithm>
#include <filesystem>

#include "tests/support/files.h"

namespace bvhmill::testing {

std::vector<std::string> SourcesIn(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(SourceFile(""));
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc" && extension != ".inc") {
      continue;
    }
    out.push_back(entry.path().lexically_relative(root).generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace bvhmill::testing
