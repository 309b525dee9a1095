// Who may include whom, as docs/design.md says; held against every file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/layering/rules.h"
#include "tests/layering/source_text.h"
#include "tests/layering/tree.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

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

// The headers that `path` includes, directly or by other files of the tree.
std::set<std::string> HeadersOf(const std::string& path) {
  std::set<std::string> headers;
  std::vector<std::string> next = {path};
  while (!next.empty()) {
    const std::string file = next.back();
    next.pop_back();
    for (const std::string& line : Split(ReadFile(SourceFile(file)), '\n')) {
      const std::string include(IncludeOf(line));
      if (include.size() < 3) continue;
      std::string header = include.substr(1, include.size() - 2);
      if (!headers.insert(header).second) continue;
      if (header.starts_with("bvhmill/")) header.insert(0, "lib/");
      if (std::filesystem::exists(SourceFile(header))) next.push_back(header);
    }
  }
  return headers;
}

TEST(WithoutGrpcTest, IncludesNoHeaderOfGrpc) {
  int checked = 0;
  for (const std::string& path : SourcesIn("server")) {
    const auto begins = [&](std::string_view beginning) {
      return path.starts_with(beginning);
    };
    const auto list = WithoutGrpc();
    if (std::none_of(list.begin(), list.end(), begins)) continue;
    ++checked;
    for (const std::string& header : HeadersOf(path)) {
      EXPECT_FALSE(header.starts_with("grpc")) << path << ": " << header;
    }
  }
  EXPECT_GT(checked, 20);
  EXPECT_TRUE(HeadersOf("server/convert/stream_reactor.cc")
                  .contains("grpcpp/server_context.h"));
}

TEST(TheTable, NamesEveryFolderOfTheServer) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(SourceFile("server"))) {
    if (!entry.is_directory()) continue;
    const std::string folder = "server/" + entry.path().filename().string();
    EXPECT_TRUE(
        std::any_of(Layers().begin(), Layers().end(),
                    [&](const Layer& layer) { return layer.folder == folder; }))
        << folder;
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
