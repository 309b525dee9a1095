#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/codec/response_bytes.h"

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

TEST(OutputBytesTest, AreInOrder) {
  OutputBytes bytes(3);
  EXPECT_EQ(bytes.size(), 0U);
  std::string expected;
  for (const size_t count : {1, 5, 0, 3'000'000, 20'000, 1'000'000}) {
    const std::string part(count, static_cast<char>('a' + expected.size() % 7));
    bytes.Append(part);
    expected += part;
    EXPECT_EQ(bytes.size(), expected.size());
  }
  EXPECT_TRUE(Joined(bytes.Take()) == expected);
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_TRUE(bytes.Take().empty());
}

// Each piece takes memory that is not counted.
TEST(OutputBytesTest, PiecesAreFull) {
  constexpr size_t kPiece = size_t{1} << 20;
  for (const size_t expected : {size_t{0}, kPiece, 100 * kPiece}) {
    OutputBytes bytes(expected);
    for (size_t i = 0; i < 3 * 1024; ++i) bytes.Append(std::string(1024, 'x'));
    bytes.Append("y");
    const auto pieces = bytes.Take();
    ASSERT_EQ(pieces.size(), 4U);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(pieces[i].size(), kPiece);
    EXPECT_EQ(pieces[3].size(), 1U);
  }
}

}  // namespace
}  // namespace bvhmill::testing
