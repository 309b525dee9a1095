// Little text must not cost much memory or work: what a conversion takes is
// drawn from its budget before it is taken, and each limit has a name.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

// Counts memory and outputs; keeps nothing.
class CountingReceiver final : public OutputReceiver {
 public:
  absl::Status Hold(int64_t bytes) override {
    held += bytes;
    peak = std::max(peak, held);
    return absl::OkStatus();
  }
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    made += static_cast<int64_t>(bytes.size());
    largest = std::max(largest, static_cast<int64_t>(bytes.size()));
    return absl::OkStatus();
  }

  int64_t held = 0;
  int64_t peak = 0;
  int64_t made = 0;
  int64_t largest = 0;
};

std::string Repeated(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string Motion(const std::string& frames, const std::string& rows) {
  return "MOTION\nFrames: " + frames + "\nFrame Time: 0.01\n" + rows;
}

std::string Joints(size_t count, const std::string& name) {
  return Repeated("JOINT " + name + "\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n",
                  count);
}

// A root of `channels` channels, with `children` below it.
std::string Star(size_t channels, const std::string& children) {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS " +
         std::to_string(channels) + Repeated(" Xrotation", channels) + "\n" +
         children + "}\n";
}

std::string DeepChain(size_t depth, size_t leaves) {
  const std::string leaf = "End Site\n{\nOFFSET 0 0 0\n}\n";
  return Star(3, Repeated("JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n", depth) +
                     Repeated(leaf, leaves) + Repeated("}\n", depth));
}

ConvertOptions Asking(size_t times, const FormatOptions& format) {
  ConvertOptions options;
  for (size_t i = 0; i < times; ++i) {
    options.outputs.push_back({std::to_string(i), format});
  }
  return options;
}

struct Cost {
  ConvertResult result;
  CountingReceiver receiver;
};

void Measure(const std::string& text, const ConvertOptions& options, bool whole,
             Cost* cost) {
  if (whole) {
    cost->result = Convert(text, options, &cost->receiver, nullptr);
    return;
  }
  Converter worker;
  Conversion clip(&worker, options, &cost->receiver, nullptr, &cost->result);
  clip.Add(text);
  clip.Finish();
}

void ExpectLimit(const ConvertResult& result, const std::string& name) {
  EXPECT_TRUE(absl::IsResourceExhausted(result.status)) << result.status;
  EXPECT_EQ(ReasonOf(result.status), "LIMIT_EXCEEDED");
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), name);
  EXPECT_TRUE(result.outputs.empty());
}

struct Amplifier {
  const char* name;
  std::string text;
  ConvertOptions options;
};

std::vector<Amplifier> Amplifiers() {
  constexpr size_t kJoints = 19'000;
  ConvertOptions long_names = Asking(16, CsvFormat{});
  long_names.edits.rename = {{"j", std::string(4096, 'n')}};
  return {
      {"names of channels padded to the widest",
       Star(199'000, Joints(kJoints, "j")) +
           Motion("1", Repeated("0 ", 199'000) + "\n"),
       Asking(1, NpzFormat{})},
      {"headings of sixteen tables",
       Star(1, Joints(kJoints, "j")) + Motion("1", "0\n"), long_names},
      {"frames without values", Star(0, "") + Motion("50000000", ""),
       Asking(16, CsvFormat{})},
      {"poses of many joints",
       Star(1, Joints(kJoints, "j")) + Motion("40000", Repeated("0\n", 40'000)),
       Asking(2, RotationsFormat{RotationKind::kMatrix})},
  };
}

TEST(CostTest, WorkOnLittleTextHasALimit) {
  constexpr int64_t kMb = int64_t{1} << 20;
  for (const Amplifier& amplifier : Amplifiers()) {
    for (const bool whole : {true, false}) {
      SCOPED_TRACE(std::string(amplifier.name) + (whole ? ", whole" : ""));
      ConvertOptions options = amplifier.options;
      options.limits.max_clip_work_per_byte = 10;
      options.limits.max_clip_work = 100'000'000;
      options.limits.max_output_bytes = 0;
      Cost cost;
      Measure(amplifier.text, options, whole, &cost);
      ExpectLimit(cost.result, "max_clip_work");
      // A unit is a byte of output at least.
      EXPECT_LT(cost.receiver.made, options.limits.max_clip_work + 20 * kMb);
      EXPECT_LT(cost.receiver.largest, 5 * kMb);
      EXPECT_LT(cost.receiver.peak, 700 * kMb);
    }
  }
}

// Tabs for each level would be the square of the depth.
TEST(CostTest, TheTextOfADeepTreeIsLinear) {
  const std::string text = DeepChain(9'000, 10'000) + Motion("1", "0 0 0\n");
  ConvertOptions options = Asking(1, BvhFormat{});
  Cost cost;
  Measure(text, options, true, &cost);
  ASSERT_TRUE(cost.result.status.ok()) << cost.result.status;
  EXPECT_LT(cost.receiver.made, 20 * static_cast<int64_t>(text.size()));
}

// One new name is that of all joints: each of them is drawn.
TEST(CostTest, NewNamesAreDrawn) {
  constexpr int64_t kJoints = 10'000;
  constexpr int64_t kBytes = 4'000;
  const std::string text = Star(1, Joints(kJoints, "j")) + Motion("1", "0\n");
  ConvertOptions options;
  options.checks_only = true;
  options.edits.rename = {{"j", std::string(kBytes, 'n')}};
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole);
    Cost cost;
    Measure(text, options, whole, &cost);
    EXPECT_TRUE(cost.result.status.ok()) << cost.result.status;
    EXPECT_GT(cost.receiver.peak, 3 * kJoints * kBytes);
    options.limits.max_clip_memory_bytes = 3 * kJoints * kBytes;
    Measure(text, options, whole, &cost);
    ExpectLimit(cost.result, "max_clip_memory_bytes");
    options.limits.max_clip_memory_bytes = 0;
  }
}

// Kinematics work in 128 bytes for each channel, on 16 frames at once, however
// few there are.
TEST(CostTest, ScratchOfKinematicsIsDrawn) {
  constexpr int64_t kChannels = 150'000;
  const std::string text =
      Star(kChannels, "") + Motion("1", Repeated("0 ", kChannels) + "\n");
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole);
    Cost cost;
    Measure(text, Asking(1, PositionsFormat{}), whole, &cost);
    EXPECT_TRUE(cost.result.status.ok()) << cost.result.status;
    EXPECT_GE(cost.receiver.peak, 128 * kChannels);
  }
}

struct Kept {
  const char* name;
  FormatOptions format;
  // Bytes of a frame that must be in memory until the end.
  int64_t frame_bytes;
};

// All rows of these are kept.
TEST(CostTest, MemoryKeptUntilTheEndIsDrawnWithinAFifth) {
  constexpr int64_t kFrames = 40'000;
  constexpr int64_t kJoints = 20;
  // Values of a frame: six of the root, three of each other joint.
  constexpr int64_t kRow = 4 * (3 + 3 * kJoints);
  const std::string text = ChainText(kJoints, kFrames);
  const Kept kept[] = {
      {"bvh", BvhFormat{}, kRow},
      // One array after the other: quaternions have the most numbers.
      {"npz", NpzFormat{}, kRow + kJoints * 4 * 4},
      {"joint-major", PositionsFormat{TensorLayout::kJointMajor},
       kRow + kJoints * 4 * 3},
  };
  for (const Kept& k : kept) {
    for (const bool whole : {true, false}) {
      SCOPED_TRACE(std::string(k.name) + (whole ? ", whole" : ", in pieces"));
      Cost cost;
      Measure(text, Asking(1, k.format), whole, &cost);
      ASSERT_TRUE(cost.result.status.ok()) << cost.result.status;
      const auto bytes = static_cast<double>(kFrames * k.frame_bytes);
      constexpr double kMb = 1 << 20;
      EXPECT_GT(static_cast<double>(cost.receiver.peak), bytes - kMb);
      // Rows are copied as they grow, before the arrays are there.
      EXPECT_LT(static_cast<double>(cost.receiver.peak), 1.2 * bytes + 8 * kMb);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
