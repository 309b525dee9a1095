// A little text can have very many poses: work and memory are bounded all the
// same, and a conversion that is cancelled ends soon.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/converted.h"

namespace bvhmill::testing {
namespace {

// The most bytes that are made after a conversion was cancelled, and the bytes
// that each clip here makes at least.
constexpr size_t kMaxBytes = size_t{5} << 20;
constexpr size_t kManyBytes = 3 * kMaxBytes;

// Counts the bytes, and cancels after the first.
class CancellingReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    made += bytes.size();
    cancel.Cancel();
    return absl::OkStatus();
  }

  size_t made = 0;
  CancelToken cancel;
};

// A root with `channels`, and `joints` joints without channels.
std::string StarText(std::string_view channels, int joints,
                     std::string_view motion) {
  std::string text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS " +
                     std::string(channels) + "\n";
  for (int i = 0; i < joints; ++i) {
    text += "JOINT j" + std::to_string(i) +
            "\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n";
  }
  return text + "}\nMOTION\n" + std::string(motion);
}

std::string StarOfRows(int joints, int rows) {
  std::string motion =
      "Frames: " + std::to_string(rows) + "\nFrame Time: 0.1\n";
  for (int i = 0; i < rows; ++i) motion += std::to_string(i % 10) + "\n";
  return StarText("1 Xrotation", joints, motion);
}

// Two rows, of a joint that is dropped.
std::string DroppedRows() {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 "
         "1 0\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
         "1\n1\n2\n";
}

struct Bomb {
  const char* name;
  std::string text;
  std::vector<OutputRequest> outputs;
  double fps = 0;
  std::vector<std::string> drop = {};
};

void PrintTo(const Bomb& bomb, std::ostream* out) { *out << bomb.name; }

std::vector<Bomb> Bombs() {
  const std::vector<OutputRequest> positions = {{"", PositionsFormat{}}};
  const std::vector<OutputRequest> velocities = {{"", VelocitiesFormat{}}};
  std::vector<OutputRequest> many;
  for (int i = 0; i < 16; ++i) {
    many.push_back({std::to_string(i), RotationsFormat{RotationKind::kMatrix}});
  }
  return {{"ManyJoints", StarOfRows(2'000, 1'000), positions},
          {"Velocities", StarOfRows(2'000, 1'000), velocities},
          {"Table", StarOfRows(500, 3'000), {{"", CsvFormat{}}}},
          {"ManyOutputs", StarOfRows(100, 600), many},
          {"NoChannels", StarText("0", 0, "Frames: 2000000\nFrame Time: 0.1\n"),
           positions},
          {"NoChannelsOfManyJoints",
           StarText("0", 1'000, "Frames: 2000\nFrame Time: 0.1\n"), positions},
          {"NoChannelsAreLeft", DroppedRows(), positions, 2e6, {"b"}},
          {"APairOfManyFrames", StarOfRows(0, 2), positions, 2e7},
          {"APairOfManyVelocities", StarOfRows(0, 2), velocities, 2e7},
          {"PairsOfManyPoses", StarOfRows(500, 30), positions, 1'000}};
}

class BombTest : public ::testing::TestWithParam<Bomb> {
 protected:
  BombTest() {
    options_.outputs = GetParam().outputs;
    options_.edits.fps = GetParam().fps;
    options_.edits.drop = GetParam().drop;
  }

  ConvertOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Bombs, BombTest, ::testing::ValuesIn(Bombs()),
                         [](const auto& info) { return info.param.name; });

TEST_P(BombTest, IsTheSameInPieces) {
  const Converted whole = ConvertWhole(GetParam().text, options_);
  ASSERT_TRUE(whole.result.status.ok()) << whole.result.status;
  size_t bytes = 0;
  for (const std::string& output : whole.outputs) bytes += output.size();
  EXPECT_GT(bytes, kManyBytes);
  for (const size_t piece : {size_t{64}, size_t{4096}, size_t{1} << 24}) {
    SCOPED_TRACE("pieces of " + std::to_string(piece));
    const Converted pieces = ConvertPieces(GetParam().text, options_, piece);
    EXPECT_EQ(pieces.result.status, whole.result.status);
    EXPECT_TRUE(pieces.outputs == whole.outputs);
  }
}

TEST_P(BombTest, EndsSoonWhenItIsCancelled) {
  CancellingReceiver receiver;
  ConvertResult result;
  Converter worker;
  Conversion clip(&worker, options_, &receiver, &receiver.cancel, &result);
  clip.Add(GetParam().text);
  clip.Finish();
  ExpectFailed(result, absl::StatusCode::kCancelled);
  EXPECT_LT(receiver.made, kMaxBytes);
}

TEST_P(BombTest, EndsSoonWhenAllOfItIsCancelled) {
  CancellingReceiver receiver;
  const ConvertResult result =
      Convert(GetParam().text, options_, &receiver, &receiver.cancel);
  ExpectFailed(result, absl::StatusCode::kCancelled);
  EXPECT_LT(receiver.made, kMaxBytes);
}

TEST_P(BombTest, EndsAtTheLimitOfOutputs) {
  options_.limits.max_output_bytes = kMaxBytes;
  CancellingReceiver receiver;
  const ConvertResult result =
      Convert(GetParam().text, options_, &receiver, nullptr);
  ExpectFailed(result, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), "max_output_bytes");
  EXPECT_LE(receiver.made, kMaxBytes);
}

}  // namespace
}  // namespace bvhmill::testing
