// The fast paths take what they are made for. Readers give the same results
// without them, so no other test fails where they give up too soon.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/bvh/parallel_rows.h"
#include "tests/bvh/threads.h"

namespace bvhmill::testing {
namespace {

constexpr size_t kWidth = 3;
constexpr size_t kBlockBytes = 5'000;
constexpr int64_t kScannedRows = 60'000;

float ValueAt(int64_t row, size_t column) {
  return static_cast<float>(row % 1000) + 0.25F * static_cast<float>(column);
}

std::string RowsText(int64_t rows) {
  std::string text;
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < kWidth; ++column) {
      constexpr const char* kParts[] = {"", ".25", ".5"};
      text += std::to_string(row % 1000) + kParts[column];
      text += column + 1 < kWidth ? " " : "\n";
    }
  }
  return text;
}

void ExpectValues(const std::vector<float>& values, int64_t rows) {
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < kWidth; ++column) {
      ASSERT_EQ(values[static_cast<size_t>(row) * kWidth + column],
                ValueAt(row, column))
          << row;
    }
  }
}

// One thread for each of `sides`.
RowsScan ScanBlocks(const std::string& text, const std::vector<Side>& sides,
                    std::vector<float>* values) {
  Threads parallel(static_cast<int>(sides.size()));
  ReadOptions options;
  options.parallel = &parallel;
  BlockScanner scanner(text, kBlockBytes, kWidth, options, *values);
  parallel.Run(parallel.threads(),
               [&](int64_t i) { scanner.Work(sides[static_cast<size_t>(i)]); });
  return scanner.Result();
}

TEST(BlockScanner, TakesAllRegularRows) {
  const std::string text = RowsText(kScannedRows);
  const std::vector<Side> kSides[] = {
      {Side::kFront},
      {Side::kBack},
      {Side::kFront, Side::kBack},
      {Side::kFront, Side::kBack, Side::kFront, Side::kBack}};
  for (const std::vector<Side>& sides : kSides) {
    std::vector<float> values(static_cast<size_t>(kScannedRows) * kWidth);
    const RowsScan scan = ScanBlocks(text, sides, &values);
    EXPECT_EQ(scan.rows, kScannedRows);
    EXPECT_EQ(scan.bytes, text.size());
    EXPECT_EQ(scan.lines, kScannedRows);
    ExpectValues(values, kScannedRows);
  }
}

// All blocks before the one with the line are taken.
TEST(BlockScanner, TakesTheBlocksBeforeAnOddLine) {
  std::string text = RowsText(kScannedRows);
  const size_t odd = text.find('\n', text.size() / 2) + 1;
  text[odd] = 'x';
  for (const std::vector<Side>& sides :
       {std::vector<Side>{Side::kFront},
        std::vector<Side>{Side::kFront, Side::kBack}}) {
    std::vector<float> values(static_cast<size_t>(kScannedRows) * kWidth);
    const RowsScan scan = ScanBlocks(text, sides, &values);
    EXPECT_LE(scan.bytes, odd);
    EXPECT_GT(scan.bytes + 2 * kBlockBytes, odd);
    ExpectValues(values, static_cast<int64_t>(scan.rows));
  }
}

}  // namespace
}  // namespace bvhmill::testing
