// Whether a file is as it was at an earlier time.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "client/cli/manifest.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::FileState;

// FIPS 180-2, appendix B.1.
constexpr char kAbc[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// The time of the last change, which is too recent for a state.
int64_t ChangeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
}

class FileStateTest : public ::testing::Test {
 protected:
  FileStateTest() : path_(folder_.File("clip.bvh")) { WriteFile(path_, "abc"); }

  FileState Now() {
    const std::optional<FileState> state = client::StateOfFile(path_);
    EXPECT_TRUE(state.has_value());
    return state.value_or(FileState{});
  }

  const TempDir folder_;
  const std::string path_;
};

TEST_F(FileStateTest, IsThatOfTheFileALinkNames) {
  const std::string link = folder_.File("link.bvh");
  std::filesystem::create_symlink(path_, link);
  const std::optional<FileState> state = client::StateOfFile(link);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->path, std::filesystem::canonical(path_).native());
  EXPECT_EQ(state->size, 3);
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(state->modified,
            info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
  // It was made a moment ago.
  EXPECT_EQ(state->changed, 0);
  EXPECT_TRUE(state->sha256.empty());
  EXPECT_FALSE(client::StateOfFile(folder_.path()).has_value());
  EXPECT_FALSE(client::StateOfFile(folder_.File("none")).has_value());
}

TEST_F(FileStateTest, ADigestIsThatOfAFileAsItWas) {
  FileState state = Now();
  ASSERT_TRUE(client::AddDigest(nullptr, &state).ok());
  EXPECT_EQ(state.sha256, kAbc);
  void (*const changes[])(FileState*) = {[](FileState* s) { ++s->size; },
                                         [](FileState* s) { --s->modified; },
                                         [](FileState* s) { s->changed = 5; },
                                         [](FileState* s) { s->path += "x"; }};
  for (const auto change : changes) {
    FileState other = Now();
    change(&other);
    EXPECT_TRUE(absl::IsFailedPrecondition(client::AddDigest(nullptr, &other)));
    EXPECT_TRUE(other.sha256.empty());
  }
}

struct Case {
  const char* name;
  // What differs between the two times.
  void (*change)(FileState* then, FileState* now);
  bool is_same;
  // The file is read.
  bool is_read;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"Nothing", [](FileState*, FileState*) {}, true, false},
    {"Size", [](FileState* then, FileState*) { ++then->size; }, false, false},
    {"Path", [](FileState* then, FileState*) { then->path += "x"; }, true,
     true},
    {"Modified", [](FileState* then, FileState*) { --then->modified; }, true,
     true},
    {"Changed", [](FileState* then, FileState*) { --then->changed; }, true,
     true},
    {"BothAreTooRecent",
     [](FileState* then, FileState* now) { then->changed = now->changed = 0; },
     true, true},
    {"OtherBytes",
     [](FileState* then, FileState*) {
       then->changed = 0;
       then->sha256.back() = '0';
     },
     false, true},
    {"NoDigestThen",
     [](FileState* then, FileState*) {
       then->changed = 0;
       then->sha256.clear();
     },
     false, false},
    {"CannotBeRead",
     [](FileState* then, FileState* now) {
       then->sha256.clear();
       now->path += "x";
     },
     false, false},
};

class SameBytesTest : public FileStateTest,
                      public ::testing::WithParamInterface<Case> {};

INSTANTIATE_TEST_SUITE_P(FileState, SameBytesTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(SameBytesTest, IsDecidedByTimesOrByTheDigest) {
  FileState now = Now();
  now.changed = ChangeOf(path_);
  FileState then = now;
  then.sha256 = kAbc;
  GetParam().change(&then, &now);
  bool is_same = !GetParam().is_same;
  ASSERT_TRUE(client::HasSameBytes(then, nullptr, &now, &is_same).ok());
  EXPECT_EQ(is_same, GetParam().is_same);
  EXPECT_EQ(now.sha256, GetParam().is_read ? kAbc : "");
}

TEST_F(FileStateTest, ACancelledComparisonSaysSo) {
  CancelToken cancel;
  cancel.Cancel();
  FileState now = Now();
  FileState then = now;
  then.sha256 = kAbc;
  bool is_same = true;
  EXPECT_TRUE(
      absl::IsCancelled(client::HasSameBytes(then, &cancel, &now, &is_same)));
  EXPECT_FALSE(is_same);
}

}  // namespace
}  // namespace bvhmill::testing
