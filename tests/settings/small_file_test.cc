#include "bvhmill/settings/small_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// A token or key that is cut without an error would be another one.
TEST(SmallFile, IsReadAsAWholeOrNotAtAll) {
  const TempDir dir;
  for (const size_t size : {0, 1, 9, 10}) {
    WriteFile(dir.File("file"), std::string(size, 'x'));
    const auto content = ReadSmallFile(dir.File("file"), 10, nullptr);
    ASSERT_TRUE(content.ok()) << size;
    EXPECT_EQ(*content, std::string(size, 'x'));
  }
  WriteFile(dir.File("file"), std::string(11, 'x'));
  const std::pair<std::string, std::string> cases[] = {
      {dir.File("file"), "it has more than 10 bytes"},
      {dir.File("none"), "No such file or directory"},
      {"/dev/zero", "it has more than 10 bytes"},
      {dir.path(), "Is a directory"}};
  for (const auto& [path, why] : cases) {
    const absl::Status status = ReadSmallFile(path, 10, nullptr).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << path;
    EXPECT_EQ(MessageOf(status), "cannot read " + path + ": " + why);
  }
}

TEST(SmallFile, LargerThanOnePieceIsWhole) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  WriteFile(dir.File("file"), text);
  EXPECT_EQ(*ReadSmallFile(dir.File("file"), text.size(), nullptr), text);
  EXPECT_FALSE(ReadSmallFile(dir.File("file"), text.size() - 1, nullptr).ok());
}

// Once its other end is closed, a terminal gives its bytes and then EIO.
TEST(SmallFile, BytesBeforeAnErrorAreNoContent) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(other, 0);
  ASSERT_EQ(write(other, "token", 5), 5);
  close(other);
  const absl::Status status =
      ReadSmallFile(terminal, "tokens", 10, nullptr).status();
  close(terminal);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_EQ(MessageOf(status), "cannot read tokens: Input/output error");
}

class SmallPipe : public ::testing::Test {
 protected:
  SmallPipe() { EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0); }

  const TempDir dir_;
  const std::string path_ = dir_.File("pipe");
};

TEST_F(SmallPipe, WithoutAWriterWaitsUntilItIsCancelled) {
  CancelToken cancel;
  std::thread reader([&] {
    const absl::Status status = ReadSmallFile(path_, 10, &cancel).status();
    EXPECT_TRUE(absl::IsCancelled(status)) << status;
    EXPECT_EQ(MessageOf(status), "cannot read " + path_ + ": no bytes came");
  });
  // A writer can open the pipe without waiting once the reader has it open.
  int writer = -1;
  while (writer < 0) {
    writer = open(path_.c_str(), O_WRONLY | O_NONBLOCK);
    std::this_thread::yield();
  }
  cancel.Cancel();
  reader.join();
  close(writer);
}

TEST_F(SmallPipe, IsNotWaitedForByATokenThatIsCancelled) {
  CancelToken no_wait;
  no_wait.Cancel();
  EXPECT_TRUE(absl::IsCancelled(ReadSmallFile(path_, 10, &no_wait).status()));
  // A regular file is read without a wait.
  WriteFile(dir_.File("file"), "text");
  EXPECT_EQ(*ReadSmallFile(dir_.File("file"), 10, &no_wait), "text");
}

TEST_F(SmallPipe, IsReadToTheEndOfItsWriter) {
  std::thread writer([&] {
    const int out = open(path_.c_str(), O_WRONLY);
    for (const char* part : {"some ", "words"}) {
      EXPECT_EQ(write(out, part, 5), 5);
      usleep(10'000);
    }
    close(out);
  });
  EXPECT_EQ(*ReadSmallFile(path_, 10, nullptr), "some words");
  writer.join();
}

}  // namespace
}  // namespace bvhmill::testing
