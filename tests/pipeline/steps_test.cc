// A little text can have very many poses: what is made of it at once is little.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

// The most bytes that a step may make, and the bytes that each clip here makes
// at least.
constexpr size_t kMaxBytes = size_t{5} << 20;
constexpr size_t kManyBytes = 3 * kMaxBytes;

// Counts the bytes of each step. Refuses memory beyond its room; cancels after
// `capacity` bytes.
class StepReceiver final : public OutputReceiver {
 public:
  absl::Status Hold(int64_t bytes) override {
    held += bytes;
    if (held <= room) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kDataLoss, "no room");
  }
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    data.resize(outputs.size());
    return absl::OkStatus();
  }
  absl::Status Data(size_t output, std::string_view bytes) override {
    data[output].append(bytes);
    made += bytes.size();
    if (made > capacity) cancel.Cancel();
    return absl::OkStatus();
  }

  // A step is over.
  void EndStep() {
    most = std::max(most, made - made_before_);
    made_before_ = made;
  }

  std::vector<std::string> data;
  size_t made = 0;
  size_t most = 0;
  size_t capacity = size_t{1} << 40;
  int64_t held = 0;
  int64_t room = int64_t{1} << 40;
  CancelToken cancel;

 private:
  size_t made_before_ = 0;
};

void Work(ClipConverter* converter, StepReceiver* receiver) {
  receiver->EndStep();
  while (converter->has_work()) {
    converter->Work();
    receiver->EndStep();
  }
}

ConvertResult ConvertInSteps(std::string_view text, size_t piece,
                             const ConvertOptions& options,
                             StepReceiver* receiver) {
  ConvertResult result;
  ClipConverter converter(options, receiver, &receiver->cancel, &result);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    converter.AddInput(static_cast<int64_t>(piece));
    converter.Read(text.substr(0, piece));
    Work(&converter, receiver);
  }
  converter.End();
  Work(&converter, receiver);
  converter.Finish();
  receiver->EndStep();
  return result;
}

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
  double resample_fps = 0;
  std::vector<std::string> drop_joints = {};
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
    options_.edits.resample_fps = GetParam().resample_fps;
    options_.edits.drop_joints = GetParam().drop_joints;
  }

  ConvertOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Steps, BombTest, ::testing::ValuesIn(Bombs()),
                         [](const auto& info) { return info.param.name; });

TEST_P(BombTest, IsMadeLittleByLittle) {
  StringReceiver whole;
  const ConvertResult expected = ConvertText(GetParam().text, options_, &whole);
  ASSERT_TRUE(expected.status.ok()) << expected.status;
  for (const size_t piece : {size_t{64}, size_t{4096}, size_t{1} << 24}) {
    SCOPED_TRACE("pieces of " + std::to_string(piece));
    StepReceiver receiver;
    const ConvertResult result =
        ConvertInSteps(GetParam().text, piece, options_, &receiver);
    EXPECT_EQ(result.status, expected.status);
    EXPECT_EQ(ReportJson("", result.report, result.info),
              ReportJson("", expected.report, expected.info));
    EXPECT_TRUE(receiver.data == whole.data());
    EXPECT_GT(receiver.made, kManyBytes);
    EXPECT_LT(receiver.most, kMaxBytes);
  }
}

TEST_P(BombTest, EndsSoonWhenItIsCancelled) {
  StepReceiver receiver;
  receiver.capacity = 0;
  ConvertResult result;
  ClipConverter converter(options_, &receiver, &receiver.cancel, &result);
  converter.Push(GetParam().text);
  converter.Finish();
  ExpectFailed(result, absl::StatusCode::kCancelled);
  EXPECT_LT(receiver.made, kMaxBytes);
}

TEST_P(BombTest, EndsSoonWhenAllOfItIsCancelled) {
  options_.outputs.resize(1);
  StepReceiver receiver;
  receiver.capacity = 0;
  const ConvertResult result =
      Convert(GetParam().text, options_, &receiver, &receiver.cancel);
  ExpectFailed(result, absl::StatusCode::kCancelled);
  EXPECT_LT(receiver.made, kMaxBytes);
}

TEST_P(BombTest, EndsAtTheLimitOfOutputs) {
  options_.limits.max_output_bytes = kMaxBytes;
  StepReceiver receiver;
  const ConvertResult result =
      ConvertInSteps(GetParam().text, 4096, options_, &receiver);
  ExpectFailed(result, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), "max_output_bytes");
  EXPECT_LE(receiver.made, kMaxBytes);
}

// Rows that come while there is no time for them.
TEST(Steps, RowsThatWaitTakeMemoryThatWasAskedFor) {
  constexpr int kRows = 1'000'000;
  const std::string text = StarOfRows(0, kRows);
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  // As it comes from the wire, only one tile waits for its turn.
  constexpr int64_t kBuffers = int64_t{2} << 20;
  StepReceiver usual;
  EXPECT_TRUE(ConvertInSteps(text, 1 << 16, options, &usual).status.ok());
  EXPECT_LT(usual.held, kBuffers);
  StepReceiver at_once;
  EXPECT_TRUE(ConvertInSteps(text, text.size(), options, &at_once).status.ok());
  EXPECT_GT(at_once.held, kRows * 2);
  EXPECT_LT(at_once.held, kRows * 12 + kBuffers);
  StepReceiver poor;
  poor.room = usual.held + kRows;
  ExpectFailed(ConvertInSteps(text, text.size(), options, &poor),
               absl::StatusCode::kDataLoss);
}

// A sender that sends a few rows and waits for their outputs gets them.
TEST(Steps, RowsDoNotWaitForMoreForEver) {
  const std::string text = ChainText(3, 10);
  const size_t third_row = text.find('\n', text.find("Frame Time") + 200);
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  StepReceiver receiver;
  ConvertResult result;
  ClipConverter converter(options, &receiver, nullptr, &result);
  converter.Push(text.substr(0, third_row + 1));
  EXPECT_TRUE(converter.CanFlush());
  converter.Flush();
  Work(&converter, &receiver);
  EXPECT_FALSE(converter.CanFlush());
  const std::string rows(text.begin(), text.begin() + third_row + 1);
  const auto lines =
      std::count(rows.begin() + rows.find("Frame Time"), rows.end(), '\n') - 1;
  EXPECT_GT(lines, 1);
  EXPECT_EQ(receiver.made, static_cast<size_t>(lines) * 3 * 12);
  converter.Push(text.substr(third_row + 1));
  converter.Finish();
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(receiver.made, size_t{10} * 3 * 12);
}

// However often: the outputs are those of the whole.
TEST(Steps, FlushesChangeNothing) {
  const std::string text = ChainText(4, 300);
  for (const double fps : {0.0, 50.0, 333.0}) {
    ConvertOptions options;
    options.outputs = {{"a", PositionsFormat{}},
                       {"b", VelocitiesFormat{}},
                       {"c", CsvFormat{}}};
    options.edits.resample_fps = fps;
    StringReceiver whole;
    EXPECT_TRUE(ConvertText(text, options, &whole).status.ok());
    for (const size_t piece : {1, 7, 100, 5'000}) {
      SCOPED_TRACE(std::to_string(fps) + ", " + std::to_string(piece));
      StepReceiver receiver;
      ConvertResult result;
      ClipConverter converter(options, &receiver, nullptr, &result);
      for (size_t at = 0; at < text.size(); at += piece) {
        converter.Push(std::string_view(text).substr(at, piece));
        converter.Flush();
        Work(&converter, &receiver);
      }
      converter.Finish();
      EXPECT_TRUE(result.status.ok()) << result.status;
      EXPECT_TRUE(receiver.data == whole.data());
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
