// The containers of arrays: .npy headers and ZIP archives.

#include <gtest/gtest.h>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/zip.h"
#include "tests/encode/encode_support.h"

namespace bvhmill::testing {
namespace {

struct NpyCase {
  std::string_view dtype;
  std::vector<int64_t> shape;
  std::string_view dict;
};

TEST(NpyHeader, Table) {
  const NpyCase cases[] = {
      {"<f8", {}, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"},
      {"<i4", {3}, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"},
      {"<f4",
       {2, 3},
       "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
      {"<f4",
       {120, 26, 3},
       "{'descr': '<f4', 'fortran_order': False, 'shape': (120, 26, 3), }"},
      {"<U12",
       {0},
       "{'descr': '<U12', 'fortran_order': False, 'shape': (0,), }"},
      {"<f4",
       {int64_t{1} << 40, 3, 3, 1},
       "{'descr': '<f4', 'fortran_order': False, "
       "'shape': (1099511627776, 3, 3, 1), }"},
  };
  for (const NpyCase& c : cases) {
    SCOPED_TRACE(c.dict);
    const std::string header = NpyHeader(c.dtype, c.shape);
    EXPECT_TRUE(header.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)));
    EXPECT_EQ(header.size() % 64, 0);
    EXPECT_EQ(
        static_cast<uint8_t>(header[8]) + 256 * static_cast<uint8_t>(header[9]),
        header.size() - 10);
    EXPECT_EQ(header.substr(10, c.dict.size()), c.dict);
    const std::string rest = header.substr(10 + c.dict.size());
    EXPECT_EQ(rest, std::string(rest.size() - 1, ' ') + '\n');
    EXPECT_EQ(header.size(), kLeastNpyHeaderBytes);
  }
}

// Every length of the dict, around each multiple of 64.
TEST(NpyHeader, IsAlignedAtAnyLength) {
  for (int digits = 1; digits < 19; ++digits) {
    int64_t size = 1;
    for (int i = 1; i < digits; ++i) size *= 10;
    for (int rank = 0; rank < 6; ++rank) {
      const std::vector<int64_t> shape(static_cast<size_t>(rank), size);
      const std::string header = NpyHeader("<f4", shape);
      EXPECT_EQ(header.size() % 64, 0) << digits << ", " << rank;
      EXPECT_EQ(header.back(), '\n') << digits << ", " << rank;
      if (rank == 5) continue;
      EXPECT_EQ(header.size(), kLeastNpyHeaderBytes) << digits << ", " << rank;
    }
  }
}

TEST(ZipWriter, EntriesComeBack) {
  const std::string zeros(100'000, '\0');
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter zip(&sink);
  ASSERT_TRUE(zip.Add("empty", {}).ok());
  ASSERT_TRUE(zip.Add("parts.npy", {"one", "", " and ", "two"}).ok());
  ASSERT_TRUE(zip.Add("zeros", {zeros}).ok());
  ASSERT_TRUE(zip.Finish().ok());
  const std::map<std::string, std::string> wanted = {
      {"empty", ""}, {"parts.npy", "one and two"}, {"zeros", zeros}};
  EXPECT_EQ(ReadZip(bytes), wanted);
}

// As an empty std::vector gives it.
TEST(ZipWriter, PartsMayBeNull) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter zip(&sink);
  ASSERT_TRUE(zip.Add("a", {"head", std::string_view()}).ok());
  ASSERT_TRUE(zip.Finish().ok());
  EXPECT_EQ(ReadZip(bytes).at("a"), "head");
}

TEST(ZipWriter, WithoutEntriesIsAnEmptyArchive) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter zip(&sink);
  ASSERT_TRUE(zip.Finish().ok());
  EXPECT_EQ(bytes.size(), 22);
  EXPECT_TRUE(ReadZip(bytes).empty());
}

TEST(ZipWriter, EqualEntriesGiveEqualBytes) {
  std::string first;
  std::string second;
  for (std::string* bytes : {&first, &second}) {
    StringSink sink(bytes);
    ZipWriter zip(&sink);
    ASSERT_TRUE(zip.Add("a", {"content"}).ok());
    ASSERT_TRUE(zip.Finish().ok());
  }
  EXPECT_EQ(first, second);
}

// Takes `room` bytes and then refuses.
class FullSink final : public Sink {
 public:
  explicit FullSink(size_t room) : room_(room) {}
  absl::Status Append(std::string_view bytes) override {
    if (bytes.size() > room_) {
      return MakeStatus(absl::StatusCode::kDataLoss, "full");
    }
    room_ -= bytes.size();
    return absl::OkStatus();
  }

 private:
  size_t room_;
};

TEST(ZipWriter, ReturnsTheStatusOfTheSink) {
  std::string whole;
  StringSink all(&whole);
  ZipWriter good(&all);
  ASSERT_TRUE(good.Add("a", {"content"}).ok());
  ASSERT_TRUE(good.Finish().ok());
  for (size_t room = 0; room < whole.size(); ++room) {
    FullSink sink(room);
    ZipWriter zip(&sink);
    absl::Status status = zip.Add("a", {"content"});
    if (status.ok()) status = zip.Finish();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << room;
  }
}

}  // namespace
}  // namespace bvhmill::testing
