// A batch of clips alike takes memory for rows, poses and outputs for the first
// ones only.

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/allocations/allocator.h"
#include "tests/allocations/chain.h"

namespace bvhmill::testing {
namespace {

// Counts what it gets, and keeps nothing.
class CountingReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    bytes_ += bytes.size();
    return absl::OkStatus();
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

struct BatchCase {
  const char* name;
  std::vector<OutputRequest> outputs;
};

void PrintTo(const BatchCase& batch, std::ostream* out) { *out << batch.name; }

class AllocationsTest : public ::testing::TestWithParam<BatchCase> {};

INSTANTIATE_TEST_SUITE_P(
    Batch, AllocationsTest,
    ::testing::Values(
        BatchCase{"Report", {}},
        BatchCase{"Positions", {{"", PositionsFormat{}}}},
        BatchCase{"Several",
                  {{"", PositionsFormat{}},
                   {"", RotationsFormat{.rotation_kind = RotationKind::kSixD}},
                   {"", CsvFormat{}}}},
        BatchCase{"Whole",
                  {{"", PositionsFormat{TensorLayout::kJointMajor, true}},
                   {"", VelocitiesFormat{}}}}),
    [](const auto& info) { return info.param.name; });

// The objects of the rules of a clip, and a few of a table.
constexpr int64_t kMostPerClip = 42;
constexpr int64_t kMostBytesPerClip = 32 * 1024;

TEST_P(AllocationsTest, FewAndSmallOnesAfterTheFirstClips) {
  // One thread: how many join the work of a clip is up to the scheduler.
  Converter converter(Parallelism::None());
  ConvertOptions options;
  options.outputs = GetParam().outputs;
  const std::vector<std::string> texts = {ChainText(1), ChainText(2),
                                          ChainText(3)};
  CountingReceiver receiver;
  ConvertResult result;
  const auto convert = [&] {
    for (const std::string& text : texts) {
      converter.ConvertInto(text, options, &receiver, nullptr, &result);
      ASSERT_TRUE(result.status.ok()) << result.status;
      // An issue takes memory for its words.
      ASSERT_TRUE(result.report.issues.empty())
          << RenderIssue(result.report.issues[0]);
    }
  };
  convert();
  const int64_t before = Allocations();
  const int64_t bytes_before = AllocatedBytes();
  const size_t bytes = receiver.bytes();
  for (int i = 0; i < 5; ++i) convert();
  const auto clips = static_cast<int64_t>(5 * texts.size());
  EXPECT_LE(Allocations() - before, kMostPerClip * clips);
  EXPECT_LE(AllocatedBytes() - bytes_before, kMostBytesPerClip * clips);
  EXPECT_EQ(receiver.bytes(), 6 * bytes);
  EXPECT_EQ(result.info.joints.size(), kChainJoints + 1);
  EXPECT_EQ(result.outputs.size(), options.outputs.size());
}

}  // namespace
}  // namespace bvhmill::testing
