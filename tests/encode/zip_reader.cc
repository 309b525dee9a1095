// A reader of stored ZIP archives, by PKWARE's APPNOTE.TXT.

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/encode/encode_support.h"

namespace bvhmill::testing {
namespace {

constexpr size_t kEndSize = 22;
constexpr size_t kDirectorySize = 46;
constexpr size_t kLocalSize = 30;

class ZipReader {
 public:
  explicit ZipReader(std::string_view bytes) : bytes_(bytes) {}

  std::map<std::string, std::string> Read() {
    if (bytes_.size() < kEndSize) {
      ADD_FAILURE() << "only " << bytes_.size() << " bytes";
      return {};
    }
    // Without a comment, the end record is the last thing.
    const size_t end = bytes_.size() - kEndSize;
    EXPECT_EQ(Field(end, 4), 0x06054b50);
    EXPECT_EQ(Field(end + 4, 4), 0) << "disk numbers";
    const size_t count = Field(end + 10, 2);
    EXPECT_EQ(Field(end + 8, 2), count);
    size_t at = Field(end + 16, 4);
    EXPECT_EQ(at + Field(end + 12, 4), end) << "directory before its end";
    EXPECT_EQ(Field(end + 20, 2), 0) << "comment";
    const size_t directory = at;
    for (size_t i = 0; i < count; ++i) at = ReadEntry(at);
    EXPECT_EQ(at, end);
    EXPECT_EQ(next_local_, directory) << "bytes between the entries";
    return std::move(entries_);
  }

 private:
  // A little-endian number of `width` bytes.
  size_t Field(size_t at, size_t width) const {
    size_t value = 0;
    for (size_t i = 0; i < width && at + i < bytes_.size(); ++i) {
      value |= size_t{static_cast<uint8_t>(bytes_[at + i])} << (8 * i);
    }
    return value;
  }

  std::string_view Part(size_t at, size_t size) const {
    EXPECT_LE(at + size, bytes_.size());
    return at > bytes_.size() ? "" : bytes_.substr(at, size);
  }

  // Reads the directory entry at `at`; returns where the next one begins.
  size_t ReadEntry(size_t at) {
    EXPECT_EQ(Field(at, 4), 0x02014b50);
    EXPECT_EQ(Field(at + 4, 2), 20) << "made by version 2.0";
    EXPECT_EQ(Field(at + 6, 2), 20) << "needs version 2.0";
    EXPECT_EQ(Field(at + 8, 2), 0) << "flags";
    EXPECT_EQ(Field(at + 10, 2), 0) << "stored";
    EXPECT_EQ(Field(at + 12, 2), 0) << "midnight";
    EXPECT_EQ(Field(at + 14, 2), (1 << 5) + 1) << "1 January 1980";
    EXPECT_EQ(Field(at + 32, 2), 0) << "comment";
    EXPECT_EQ(Field(at + 34, 8), 0) << "disk and attributes";
    const size_t name_size = Field(at + 28, 2);
    const std::string name(Part(at + kDirectorySize, name_size));
    const size_t local = Field(at + 42, 4);
    EXPECT_EQ(local, next_local_) << name << ": entries lie end to end";
    // From the version needed up to the sizes both headers say the same.
    EXPECT_EQ(Part(local + 4, 24), Part(at + 6, 24)) << name;
    EXPECT_EQ(Field(local, 4), 0x04034b50) << name;
    EXPECT_EQ(Part(local + kLocalSize, name_size), name);
    ReadData(name, at, local + kLocalSize + name_size + Field(local + 28, 2));
    return at + kDirectorySize + name_size + Field(at + 30, 2) +
           Field(at + 32, 2);
  }

  void ReadData(const std::string& name, size_t at, size_t data) {
    const size_t size = Field(at + 24, 4);
    EXPECT_EQ(Field(at + 20, 4), size) << name;
    const std::string_view content = Part(data, size);
    const auto* first = reinterpret_cast<const Bytef*>(content.data());
    EXPECT_EQ(crc32(0, first, static_cast<uInt>(content.size())),
              Field(at + 16, 4))
        << name;
    EXPECT_TRUE(entries_.emplace(name, content).second) << name << " twice";
    next_local_ = data + size;
  }

  std::string_view bytes_;
  size_t next_local_ = 0;
  std::map<std::string, std::string> entries_;
};

}  // namespace

std::map<std::string, std::string> ReadZip(std::string_view bytes) {
  return ZipReader(bytes).Read();
}

}  // namespace bvhmill::testing
