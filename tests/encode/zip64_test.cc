// Archives beyond 4 GiB, read back by Python's zipfile. Zeros are not written:
// the files have holes.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/zip.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

constexpr uint64_t kMost32 = 0xFFFFFFFF;

// Zeros that all large parts are views of.
std::string_view Zeros() {
  static const std::string zeros(size_t{1} << 24, '\0');
  return zeros;
}

// `size` zeros as a list of parts that share one buffer.
std::vector<std::string_view> ZerosOf(uint64_t size) {
  std::vector<std::string_view> parts;
  for (; size > Zeros().size(); size -= Zeros().size()) {
    parts.push_back(Zeros());
  }
  parts.push_back(Zeros().substr(0, size));
  return parts;
}

uint32_t CrcOfZeros(uint64_t size) {
  uLong crc = crc32(0, nullptr, 0);
  const Bytef zero = 0;
  uLong power = crc32(0, &zero, 1);
  // Each round doubles the number of zeros.
  for (uint64_t length = 1; size > 0; size >>= 1, length <<= 1) {
    if ((size & 1) != 0) {
      crc = crc32_combine(crc, power, static_cast<z_off_t>(length));
    }
    power = crc32_combine(power, power, static_cast<z_off_t>(length));
  }
  return static_cast<uint32_t>(crc);
}

// Writes a file, but seeks where it is handed zeros of Zeros().
class SparseSink final : public Sink {
 public:
  explicit SparseSink(const std::string& path)
      : file_(open(path.c_str(), O_CREAT | O_WRONLY, 0600)) {}
  ~SparseSink() override { close(file_); }

  absl::Status Append(std::string_view bytes) override {
    const bool is_hole = bytes.data() >= Zeros().data() &&
                         bytes.data() < Zeros().data() + Zeros().size();
    if (!is_hole &&
        pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_)) !=
            static_cast<ssize_t>(bytes.size())) {
      return MakeStatus(absl::StatusCode::kDataLoss, "not written");
    }
    size_ += bytes.size();
    return absl::OkStatus();
  }
  uint64_t size() const { return size_; }

 private:
  int file_;
  uint64_t size_ = 0;
};

struct Entry {
  std::string name;
  uint64_t zeros = 0;
  std::string text;
};

// The archive of `entries`, listed by zip64_listing.py. `size` is that of the
// file.
std::vector<std::string> ListingOf(const std::vector<Entry>& entries,
                                   uint64_t* size) {
  const TempDir folder;
  const std::string path = folder.File("large.zip");
  {
    SparseSink sink(path);
    ZipWriter zip(&sink);
    for (const Entry& entry : entries) {
      std::vector<std::string_view> parts = ZerosOf(entry.zeros);
      parts.emplace_back(entry.text);
      EXPECT_TRUE(zip.Add(entry.name, parts).ok());
    }
    EXPECT_TRUE(zip.Finish().ok());
    *size = sink.size();
  }
  const std::string command = "python3 '" +
                              SourceFile("tests/encode/zip64_listing.py") +
                              "' '" + path + "'";
  FILE* listing = popen(command.c_str(), "r");
  std::string out;
  for (int c = 0; (c = fgetc(listing)) != EOF;) out += static_cast<char>(c);
  EXPECT_EQ(pclose(listing), 0) << out;
  if (out.ends_with('\n')) out.pop_back();
  return Split(out, '\n');
}

std::string Line(const Entry& entry, uint64_t offset, std::string_view first,
                 std::string_view records) {
  const uLong crc =
      crc32_combine(CrcOfZeros(entry.zeros),
                    crc32(0, reinterpret_cast<const Bytef*>(entry.text.data()),
                          static_cast<uInt>(entry.text.size())),
                    static_cast<z_off_t>(entry.text.size()));
  return entry.name + " " + std::to_string(entry.zeros + entry.text.size()) +
         " " + std::to_string(crc) + " " + std::to_string(offset) + " " +
         std::string(first) + " " + std::string(records);
}

// Bytes before the content of an entry with a name of one letter and no ZIP64
// record, and after it.
uint64_t Overhead() {
  uint64_t size = 0;
  const auto lines = ListingOf({{"a", 0, "text"}, {"b", 0, "text"}}, &size);
  EXPECT_EQ(lines.size(), 2);
  const auto cells = Split(lines.at(1), ' ');
  return std::stoull(cells.at(3)) - 4;
}

TEST(Zip64, SmallArchivesHaveNoSuchRecords) {
  uint64_t size = 0;
  const Entry a{"a", 3, "text"};
  const Entry b{"b", 0, "other"};
  EXPECT_EQ(ListingOf({a, b}, &size),
            (std::vector<std::string>{
                Line(a, 0, "00000074", "- - 20 20"),
                Line(b, Overhead() + 7, "6f746865", "- - 20 20")}));
}

// A ZIP64 record needs version 4.5. Both numbers are the first that 32 bits
// cannot hold: all bits set means that the number is in the ZIP64 record.
TEST(Zip64, AnEntryOf4GiBLessOneByte) {
  uint64_t size = 0;
  const Entry large{"a", kMost32 - 4, "text"};
  const Entry next{"b", 0, "other"};
  const auto lines = ListingOf({large, next}, &size);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0], Line(large, 0, "00000000", "local directory 45 45"));
  const uint64_t offset = std::stoull(Split(lines[1], ' ').at(3));
  EXPECT_EQ(offset, Overhead() + kMost32 + 20);
  EXPECT_EQ(lines[1], Line(next, offset, "6f746865", "- directory 20 45"));
}

TEST(Zip64, AnEntryAt4GiBLessOneByte) {
  uint64_t size = 0;
  const Entry large{"a", kMost32 - Overhead(), ""};
  const Entry next{"b", 0, "other"};
  const Entry last{"c", 0, "last"};
  const auto lines = ListingOf({large, next, last}, &size);
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[0], Line(large, 0, "00000000", "- - 20 20"));
  EXPECT_EQ(lines[1], Line(next, kMost32, "6f746865", "- directory 20 45"));
  EXPECT_EQ(lines[2], Line(last, kMost32 + Overhead() + 5, "6c617374",
                           "- directory 20 45"));
}

// One byte less, and no record is needed but that of the directory.
TEST(Zip64, ADirectoryAt4GiBLessOneByte) {
  uint64_t size = 0;
  const Entry large{"a", kMost32 - Overhead(), ""};
  const auto lines = ListingOf({large}, &size);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0], Line(large, 0, "00000000", "- - 20 20"));
  // The directory of one entry, the two ZIP64 records of its end, the end.
  EXPECT_EQ(size, kMost32 + 47 + 56 + 20 + 22);
}

}  // namespace
}  // namespace bvhmill::testing
