// Who may include whom, as docs/design.md says; held against every file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/layering/rules.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// Paths of the sources below `folder`, from the root of the source tree.
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

class Tree : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Layering, Tree,
                         ::testing::Values("lib", "server", "client", "bench"));

TEST_P(Tree, IncludesWhatItsLayersMay) {
  const std::vector<std::string> sources = SourcesIn(GetParam());
  ASSERT_FALSE(sources.empty());
  for (const std::string& path : sources) {
    EXPECT_THAT(CheckSource(path, ReadFile(SourceFile(path))), IsEmpty());
  }
}

TEST_P(Tree, HasGoodShape) {
  for (const std::string& path : SourcesIn(GetParam())) {
    EXPECT_THAT(CheckShape(path, ReadFile(SourceFile(path))), IsEmpty());
  }
}

TEST(TestTree, HasGoodShape) {
  const std::vector<std::string> sources = SourcesIn("tests");
  ASSERT_THAT(sources, Contains("tests/layering/layering_test.cc"));
  for (const std::string& path : sources) {
    EXPECT_THAT(CheckShape(path, ReadFile(SourceFile(path))), IsEmpty());
  }
}

TEST(TheTable, NamesEveryFolderOfTheLibrary) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(SourceFile("lib/bvhmill"))) {
    const std::string folder =
        "lib/bvhmill/" + entry.path().filename().string();
    EXPECT_TRUE(
        std::any_of(Layers().begin(), Layers().end(),
                    [&](const Layer& layer) { return layer.folder == folder; }))
        << folder;
  }
}

}  // namespace
}  // namespace bvhmill::testing
