// Paths of outputs stay below their folder.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/files/outputs.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(OutputPathTest, StaysBelowTheFolderWithoutTwoPoints) {
  const std::pair<std::string, bool> cases[] = {
      {"", false},       {"/", false},
      {"/a", false},     {"..", false},
      {"a/..", false},   {"../a", false},
      {"a/../b", false}, {std::string("a\0b", 3), false},
      {"a", true},       {"a/b", true},
      {".", true},       {"./a", true},
      {"a//b", true},    {"...", true},
      {"..a/b..", true}};
  for (const auto& [path, stays] : cases) {
    EXPECT_EQ(StaysBelow(path), stays) << path;
  }
}

TEST(OutputPathTest, HasNoEmptyComponents) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},          {"a", "a"}, {"./a", "a"},           {"a/", "a"},
      {".", ""},         {"./", ""}, {"a/./b//c/", "a/b/c"}, {"//a", "a"},
      {"a/..b", "a/..b"}};
  for (const auto& [path, normalized] : cases) {
    EXPECT_EQ(Normalized(path), normalized);
  }
}

TEST(OutputDirTest, MakesMissingFoldersIfItMay) {
  const TempDir place;
  const std::string path = place.File("new/out");
  const auto folder = OutputDir::Open(path);
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(folder->id(), IdOfFile(path));
  EXPECT_TRUE(absl::IsNotFound(folder->Descend("a/b", false).status()));
  EXPECT_FALSE(fs::exists(path + "/a"));
  // Twice: the folders may exist.
  for (int i = 0; i < 2; ++i) {
    const auto below = folder->Descend("a/b", true);
    ASSERT_TRUE(below.ok());
    struct stat info = {};
    ASSERT_EQ(fstat(below->get(), &info), 0);
    EXPECT_EQ(FileId(info.st_dev, info.st_ino), IdOfFile(path + "/a/b"));
  }
  EXPECT_TRUE(folder->Descend("a/b", false).ok());
  EXPECT_TRUE(folder->Descend("", false).ok());
  const mode_t mask = umask(0);
  umask(mask);
  struct stat info = {};
  ASSERT_EQ(stat((path + "/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0777 & ~mask);
}

TEST(OutputDirTest, FollowsNoLinksAndNamesWhatIsWrong) {
  const TempDir place;
  const std::string path = place.File("out");
  fs::create_directories(path + "/real");
  fs::create_directory_symlink("real", path + "/link");
  WriteFile(path + "/file", "");
  EXPECT_THAT(std::string(MessageOf(OutputDir::Open(path + "/file").status())),
              HasSubstr("/out/file: is not a folder"));
  const auto folder = OutputDir::Open(path + "/");
  ASSERT_TRUE(folder.ok());
  const std::pair<const char*, const char*> cases[] = {
      {"link", "/out/link: is a symbolic link"},
      {"real/none", "/out/real/none is missing"},
      {"file", "/out/file: cannot be opened"}};
  for (const auto& [below, message] : cases) {
    const auto opened = folder->Descend(below, false);
    EXPECT_THAT(std::string(MessageOf(opened.status())), HasSubstr(message));
  }
  EXPECT_THAT(std::string(MessageOf(folder->Descend("file/a", true).status())),
              HasSubstr("/out/file: cannot be opened"));
}

}  // namespace
}  // namespace bvhmill::testing
