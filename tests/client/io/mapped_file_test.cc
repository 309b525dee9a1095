// A long file is read where the system has it, also if it becomes shorter.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "bvhmill/files/posix_files.h"
#include "client/cli/io/read_clip.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::MappedFile;

constexpr int64_t kBytes = int64_t{1} << 20;

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() {
    for (int64_t i = 0; i < kBytes; ++i)
      text_ += static_cast<char>('a' + i % 26);
    WriteFile(path_, text_);
    const UniqueFd fd(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    mapped_ = MappedFile::Map(fd.get(), kBytes);
  }

  TempDir folder_;
  const std::string path_ = folder_.File("long");
  std::string text_;
  std::unique_ptr<MappedFile> mapped_;
};

TEST_F(MappedFileTest, HasTheBytesOfTheFileAlsoAfterTheirRelease) {
  ASSERT_NE(mapped_, nullptr);
  EXPECT_TRUE(mapped_->bytes() == text_);
  mapped_->Release(kBytes / 2 + 1);
  mapped_->Release(kBytes);
  EXPECT_TRUE(mapped_->bytes() == text_);
  EXPECT_FALSE(mapped_->was_cut());
}

TEST_F(MappedFileTest, BytesThatTheFileHasLostAreZeros) {
  ASSERT_NE(mapped_, nullptr);
  ASSERT_EQ(truncate(path_.c_str(), kBytes / 2), 0);
  const std::string_view bytes = mapped_->bytes();
  EXPECT_TRUE(bytes.substr(0, kBytes / 2) ==
              std::string_view(text_).substr(0, kBytes / 2));
  EXPECT_EQ(std::count(bytes.begin() + kBytes / 2, bytes.end(), '\0'),
            kBytes / 2);
  EXPECT_TRUE(mapped_->was_cut());
}

}  // namespace
}  // namespace bvhmill::testing
