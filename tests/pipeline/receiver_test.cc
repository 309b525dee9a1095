// How outputs are handed over, and what happens if they are not taken.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kNever = 1'000'000'000;

// Records calls. It refuses in Begin, or refuses memory for the clip, or
// refuses or cancels after `capacity` bytes.
class PickyReceiver final : public OutputReceiver {
 public:
  absl::Status Hold(int64_t bytes) override {
    held += bytes;
    return held > clip_room ? Refusal() : absl::OkStatus();
  }

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override {
    ++begins;
    frames = info.frames;
    infos.assign(outputs.begin(), outputs.end());
    taken.resize(outputs.size());
    return refuses_begin ? Refusal() : absl::OkStatus();
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    EXPECT_EQ(begins, 1);
    EXPECT_FALSE(refused) << "called again after it said no";
    taken.at(output).append(bytes);
    capacity -= static_cast<int64_t>(bytes.size());
    if (capacity >= 0) return absl::OkStatus();
    if (cancel != nullptr) {
      cancel->Cancel();
      return absl::OkStatus();
    }
    return Refusal();
  }

  absl::Status Refusal() {
    refused = true;
    return MakeStatus(absl::StatusCode::kDataLoss, "the disk is gone");
  }

  int begins = 0;
  int64_t frames = -1;
  std::vector<OutputInfo> infos;
  std::vector<std::string> taken;
  bool refused = false;
  bool refuses_begin = false;
  int64_t capacity = kNever;
  // For the clip: bytes that it asked for, and may ask for.
  int64_t held = 0;
  int64_t clip_room = kNever;
  CancelToken* cancel = nullptr;
};

ConvertOptions AllOutputs() {
  ConvertOptions options;
  options.outputs = EveryOutput();
  return options;
}

ConvertOptions One(const OutputRequest& output) {
  ConvertOptions options;
  options.outputs = {output};
  return options;
}

TEST(Receiver, BeginsOnceWithTheFacts) {
  PickyReceiver receiver;
  const ConvertResult result =
      Convert(ChainText(3, 10), AllOutputs(), &receiver, nullptr);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(receiver.begins, 1);
  EXPECT_EQ(receiver.frames, 10);
  ASSERT_EQ(receiver.infos.size(), EveryOutput().size());
  for (size_t i = 0; i < receiver.infos.size(); ++i) {
    EXPECT_EQ(receiver.infos[i].id, EveryOutput()[i].id);
    EXPECT_EQ(receiver.infos[i].media_type, result.outputs[i].media_type);
  }
}

TEST(Receiver, IsToldSizesThatHold) {
  PickyReceiver receiver;
  const ConvertResult result =
      Convert(ChainText(3, 10), AllOutputs(), &receiver, nullptr);
  ASSERT_EQ(result.outputs.size(), receiver.taken.size());
  for (size_t i = 0; i < receiver.taken.size(); ++i) {
    const auto bytes = static_cast<int64_t>(receiver.taken[i].size());
    EXPECT_EQ(result.outputs[i].size_bytes, bytes) << result.outputs[i].id;
    const int64_t promised = receiver.infos[i].size_bytes;
    EXPECT_TRUE(promised == -1 || promised == bytes) << result.outputs[i].id;
  }
}

TEST(Receiver, ThatRefusesToBeginGetsNothing) {
  PickyReceiver receiver;
  receiver.refuses_begin = true;
  const ConvertResult result =
      Convert(ChainText(3, 10), AllOutputs(), &receiver, nullptr);
  ExpectFailed(result, absl::StatusCode::kDataLoss);
  EXPECT_EQ(MessageOf(result.status), "the disk is gone");
  for (const std::string& bytes : receiver.taken) EXPECT_EQ(bytes, "");
}

class OneOutput : public ::testing::TestWithParam<OutputRequest> {};

INSTANTIATE_TEST_SUITE_P(Receiver, OneOutput,
                         ::testing::ValuesIn(EveryOutput()),
                         [](const auto& info) { return info.param.id; });

TEST_P(OneOutput, EndsWhenItsDataAreRefused) {
  for (const int64_t capacity : {0, 100, 1000}) {
    PickyReceiver receiver;
    receiver.capacity = capacity;
    const ConvertResult result =
        Convert(ChainText(5, 20), One(GetParam()), &receiver, nullptr);
    ExpectFailed(result, absl::StatusCode::kDataLoss);
    EXPECT_EQ(MessageOf(result.status), "the disk is gone");
    EXPECT_EQ(result.info.frames, 20);
  }
}

TEST_P(OneOutput, HasTheSameBytesAmongOthers) {
  const std::string text = ChainText(40, 1025);
  StringReceiver alone;
  ASSERT_TRUE(ConvertText(text, One(GetParam()), &alone).status.ok());
  StringReceiver all;
  ASSERT_TRUE(ConvertText(text, AllOutputs(), &all).status.ok());
  for (size_t i = 0; i < EveryOutput().size(); ++i) {
    if (EveryOutput()[i].id != GetParam().id) continue;
    EXPECT_TRUE(alone.data()[0] == all.data()[i]) << GetParam().id;
    EXPECT_FALSE(alone.data()[0].empty());
  }
}

TEST_P(OneOutput, IsTheSameEveryTime) {
  StringReceiver first;
  StringReceiver second;
  const std::string text = ChainText(3, 40);
  ASSERT_TRUE(ConvertText(text, One(GetParam()), &first).status.ok());
  ASSERT_TRUE(ConvertText(text, One(GetParam()), &second).status.ok());
  EXPECT_TRUE(first.data() == second.data());
}

// Cancelled between tiles: no more than the tile at hand is made.
TEST(Receiver, MayCancelMidway) {
  CancelToken cancel;
  PickyReceiver receiver;
  receiver.capacity = 0;
  receiver.cancel = &cancel;
  const ConvertResult result = Convert(
      ChainText(40, 3000), One({"", PositionsFormat{}}), &receiver, &cancel);
  ExpectFailed(result, absl::StatusCode::kCancelled);
  EXPECT_LT(receiver.taken[0].size(), 3000u * 40 * 12);
}

ConvertResult ConvertByPieces(std::string_view text,
                              const ConvertOptions& options,
                              OutputReceiver* receiver) {
  ConvertResult result;
  Converter worker;
  Conversion clip(&worker, options, receiver, nullptr, &result);
  for (; !text.empty();
       text = text.substr(std::min<size_t>(text.size(), 999))) {
    clip.Add(text.substr(0, 999));
  }
  clip.Finish();
  return result;
}

TEST(Receiver, IsAskedForTheMemoryOfAClip) {
  ConvertOptions edited = One({"", NpzFormat{}});
  edited.edits.fps = 240;
  ConvertOptions report;
  report.checks_only = true;
  const std::string text = ChainText(30, 2'000);
  const std::string blanks = "HIERARCHY\n" + std::string(5'000'000, ' ');
  struct Case {
    const char* name;
    const std::string& text;
    ConvertOptions options;
    // Bytes that are kept: whole, by pieces.
    int64_t whole;
    int64_t by_pieces;
  };
  // Tiles of two threads at most, and the first text of a stream.
  constexpr int64_t kBuffers = int64_t{4} << 20;
  // Each joint has three channels, the root six.
  constexpr int64_t kMatrix = int64_t{4} * (3 * 30 + 3) * 2'000;
  const Case cases[] = {
      {"arrays", text, One({"", PositionsFormat{}}), kMatrix, kMatrix},
      {"archive", text, One({"", NpzFormat{}}), kMatrix, kMatrix},
      {"edited", text, edited, 2 * kMatrix, 2 * kMatrix},
      {"report", text, report, kMatrix, kMatrix},
      {"open", blanks, report, 0, 3'900'000}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool whole : {true, false}) {
      const auto run = [&](PickyReceiver* receiver) {
        return whole ? Convert(c.text, c.options, receiver, nullptr)
                     : ConvertByPieces(c.text, c.options, receiver);
      };
      const int64_t kept = whole ? c.whole : c.by_pieces;
      PickyReceiver receiver;
      run(&receiver);
      EXPECT_GE(receiver.held, kept - Budget::kFreeBytes) << whole;
      EXPECT_LE(receiver.held, 8 * kept + kBuffers) << whole;
      if (kept == 0) continue;
      PickyReceiver poor;
      poor.clip_room = kept - Budget::kFreeBytes - 1;
      ExpectFailed(run(&poor), absl::StatusCode::kDataLoss);
      EXPECT_EQ(poor.begins, 0);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
