#include "server/codec/output_bytes.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bvhmill::testing {
namespace {

using server::OutputBytes;

std::string Joined(const std::vector<grpc::Slice>& pieces) {
  std::string out;
  for (const grpc::Slice& piece : pieces) {
    out.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
  }
  return out;
}

UninitializedVector<float> Sevens(size_t count) {
  return UninitializedVector<float>(count, 7.0F);
}

std::string BytesOfSevens(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += std::string("\0\0\xE0\x40", 4);
  return out;
}

TEST(OutputBytesTest, AreInOrder) {
  OutputBytes bytes(3);
  EXPECT_EQ(bytes.size(), 0U);
  std::string expected = "header";
  bytes.Append("head");
  bytes.Append("er");
  for (const size_t count : {1, 2, 10'000, 20'000, 3, 10'000}) {
    UninitializedVector<float> floats = Sevens(count);
    bytes.Append(&floats);
    expected += BytesOfSevens(count);
  }
  bytes.Append("tail");
  expected += "tail";
  EXPECT_EQ(bytes.size(), expected.size());
  EXPECT_TRUE(Joined(bytes.Take()) == expected);
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_TRUE(bytes.Take().empty());
}

TEST(OutputBytesTest, FloatsAreNotCopied) {
  UninitializedVector<float> floats = Sevens(100'000);
  const auto place = reinterpret_cast<uintptr_t>(floats.data());
  OutputBytes bytes(0);
  bytes.Append(&floats);
  EXPECT_EQ(floats.capacity(), 0U);
  const auto pieces = bytes.Take();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pieces[0].begin()), place);
  EXPECT_EQ(pieces[0].size(), 400'000U);
}

// A call is charged for bytes, not for what is kept beside them.
TEST(OutputBytesTest, SmallTilesAreOnePiece) {
  OutputBytes bytes(0);
  UninitializedVector<float> floats = Sevens(3);
  for (int i = 0; i < 10'000; ++i) bytes.Append(&floats);
  EXPECT_EQ(bytes.size(), 120'000U);
  EXPECT_EQ(bytes.Take().size(), 1U);
}

TEST(OutputBytesTest, FewFloatsInMuchMemoryAreCopied) {
  UninitializedVector<float> floats = Sevens(100'000);
  floats.resize(10'000);
  const auto place = reinterpret_cast<uintptr_t>(floats.data());
  OutputBytes bytes(0);
  bytes.Append(&floats);
  const auto pieces = bytes.Take();
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NE(reinterpret_cast<uintptr_t>(pieces[0].begin()), place);
  EXPECT_EQ(pieces[0].size(), 40'000U);
  EXPECT_EQ(floats.capacity(), 0U);
}

}  // namespace
}  // namespace bvhmill::testing
