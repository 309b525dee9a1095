// Files that appear complete or not at all.

#include "client/cli/io/new_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/files/outputs.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::NewFile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NewFileTest : public ::testing::Test {
 protected:
  NewFileTest() : folder_(OutputDir::Open(place_.path())->Descend("", false)) {}

  NewFile Make(const std::string& name) {
    auto file = NewFile::Create(folder_->get(), name);
    EXPECT_TRUE(file.ok());
    return *std::move(file);
  }
  // Writes and names a file.
  absl::Status Put(const std::string& name, std::string_view bytes,
                   bool replace) {
    NewFile file = Make(name);
    EXPECT_TRUE(file.Append(bytes).ok());
    EXPECT_TRUE(file.Close().ok());
    return file.Commit(replace);
  }
  // All names in the folder.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(place_.path())) {
      names.push_back(entry.path().filename().native());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const TempDir place_;
  const absl::StatusOr<UniqueFd> folder_;
};

// Pieces of 128 KiB and more are not collected.
TEST_F(NewFileTest, HasAllPiecesInOrder) {
  constexpr size_t kBuffer = size_t{128} << 10;
  NewFile file = Make("a");
  std::string all;
  char letter = 'a';
  for (const size_t size :
       {size_t{5}, kBuffer - 5, size_t{1}, kBuffer, kBuffer + 1, size_t{0},
        size_t{7}, 3 * kBuffer, size_t{2}}) {
    const std::string piece(size, letter++);
    all += piece;
    ASSERT_TRUE(file.Append(piece).ok());
    EXPECT_EQ(file.size(), static_cast<int64_t>(all.size()));
  }
  ASSERT_TRUE(file.Append("end").ok());
  all += "end";
  std::string read;
  ASSERT_TRUE(file.Read([&](std::string_view bytes) {
                    read += bytes;
                    return true;
                  })
                  .ok());
  EXPECT_EQ(read, all);
  EXPECT_THAT(Names(), IsEmpty());
  ASSERT_TRUE(file.Close().ok());
  ASSERT_TRUE(file.Commit(/*replace=*/false).ok());
  EXPECT_EQ(ReadFile(place_.File("a")), all);
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(NewFileTest, GoesOnAfterAMove) {
  NewFile file = Make("a");
  ASSERT_TRUE(file.Append("first bytes").ok());
  NewFile moved = std::move(file);
  ASSERT_TRUE(moved.Append(" and last").ok());
  EXPECT_EQ(moved.size(), 20);
  ASSERT_TRUE(moved.Close().ok());
  ASSERT_TRUE(moved.Commit(/*replace=*/false).ok());
  EXPECT_EQ(ReadFile(place_.File("a")), "first bytes and last");
}

TEST_F(NewFileTest, IsReadUntilTheReaderHasEnough) {
  NewFile file = Make("a");
  ASSERT_TRUE(file.Append(std::string(size_t{1} << 20, 'a')).ok());
  int calls = 0;
  ASSERT_TRUE(file.Read([&](std::string_view) { return ++calls < 2; }).ok());
  EXPECT_EQ(calls, 2);
}

TEST_F(NewFileTest, IsNeverThereIfItGetsNoName) {
  {
    NewFile file = Make("a");
    ASSERT_TRUE(file.Append("bytes").ok());
    ASSERT_TRUE(file.Close().ok());
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(NewFileTest, ReplacesAnotherFileOnlyIfItMay) {
  ASSERT_TRUE(Put("a", "first", /*replace=*/false).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(Put("a", "second", /*replace=*/false)));
  EXPECT_EQ(ReadFile(place_.File("a")), "first");
  EXPECT_TRUE(Put("a", "third", /*replace=*/true).ok());
  EXPECT_EQ(ReadFile(place_.File("a")), "third");
  EXPECT_TRUE(Put("b", "other", /*replace=*/true).ok());
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
}

TEST_F(NewFileTest, LeavesNothingIfAFolderHasItsName) {
  std::filesystem::create_directory(place_.File("a"));
  EXPECT_TRUE(absl::IsAlreadyExists(Put("a", "bytes", /*replace=*/false)));
  EXPECT_TRUE(absl::IsFailedPrecondition(Put("a", "bytes", /*replace=*/true)));
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(NewFileTest, MayHaveTheLongestNameThatThereIs) {
  const std::string longest(255, 'a');
  EXPECT_TRUE(Put(longest, "first", /*replace=*/true).ok());
  EXPECT_TRUE(Put(longest, "second", /*replace=*/true).ok());
  EXPECT_EQ(ReadFile(place_.File(longest)), "second");
  EXPECT_TRUE(absl::IsFailedPrecondition(Put(longest + "a", "third", true)));
  EXPECT_THAT(Names(), ElementsAre(longest));
}

TEST_F(NewFileTest, MayBeReadByAllWhomTheMaskOfTheProcessAllows) {
  const mode_t mask = umask(027);
  EXPECT_TRUE(Put("a", "bytes", /*replace=*/false).ok());
  umask(mask);
  struct stat info = {};
  ASSERT_EQ(stat(place_.File("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

}  // namespace
}  // namespace bvhmill::testing
