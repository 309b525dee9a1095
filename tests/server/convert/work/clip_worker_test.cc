// The worker of clips of a stream, against a session that the test plays.

#include "server/convert/clip_worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "tests/server/convert/work/row_clip.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

using server::ClipPtr;
using server::ClipStep;
using server::ResponseFrame;

// Gives a clip its bytes, and keeps the frames that are made of it.
class PlayedSession final : public server::SessionPort {
 public:
  server::NextClipStep NextStep(const ClipPtr& clip,
                                const server::WorkState& state) override {
    if (clip->refused) return {ClipStep::kFinish, {}};
    if (!state.exists) return {ClipStep::kMake, {}};
    if (state.has_work) return {ClipStep::kWork, {}};
    if (!incoming.empty()) {
      std::string bytes = std::move(incoming.front());
      incoming.pop_front();
      return {ClipStep::kGive, std::move(bytes)};
    }
    if (waits) return {};
    return {ClipStep::kFinish, {}};
  }
  absl::Status OnMemoryNeeded(server::StreamClip*, int64_t bytes) override {
    if (has_no_memory) throw std::bad_alloc();
    if (bytes > 0 && !grants) return absl::ResourceExhaustedError("busy");
    drawn_bytes += bytes;
    return absl::OkStatus();
  }
  void OnFrame(const ClipPtr&, ResponseFrame frame, bool is_result) override {
    if (loses_frames) throw std::bad_alloc();
    grpc::ByteBuffer bytes = frame.body->bytes;
    v1::ConvertClipsResponse message;
    EXPECT_TRUE(
        grpc::SerializationTraits<v1::ConvertClipsResponse>::Deserialize(
            &bytes, &message)
            .ok());
    EXPECT_EQ(frame.bytes, static_cast<int64_t>(message.ByteSizeLong()));
    EXPECT_EQ(is_result, message.has_result());
    EXPECT_FALSE(has_result) << "a frame after the result";
    has_result = is_result;
    data_bytes += frame.data_bytes;
    frames.push_back(std::move(frame));
    messages.push_back(std::move(message));
  }
  void OnNoMemory(const ClipPtr&, const absl::Status& status) override {
    no_memory = status;
  }
  void OnFailure(const ClipPtr&, const absl::Status& status) override {
    failure = status;
  }

  std::deque<std::string> incoming;
  // The end of the clip has not come.
  bool waits = false;
  bool grants = true;
  bool has_no_memory = false;
  bool loses_frames = false;
  std::vector<ResponseFrame> frames;
  std::vector<v1::ConvertClipsResponse> messages;
  bool has_result = false;
  int64_t drawn_bytes = 0;
  int64_t data_bytes = 0;
  absl::Status no_memory;
  absl::Status failure;
};

class CountingObserver final : public server::ClipObserver {
 public:
  void AddBytes(int64_t, int64_t) override {}
  void AddClip(const ConvertResult& result) override {
    frames += result.info.frames;
  }
  void AddRefusedClip(const std::string&) override {}
  void AddStage(server::Stage, std::chrono::nanoseconds) override {}

  int64_t frames = 0;
};

// A worker with one clip, which waited an hour for it.
class ClipWorkerTest : public ::testing::Test {
 protected:
  ClipWorkerTest() {
    clip_->key = "a";
    clip_->queued_at = server::StreamClip::Clock::now() - std::chrono::hours(1);
    options_.outputs.emplace_back().format = PositionsFormat{};
  }

  void BeginAgain() {
    *clip_ = server::StreamClip();
    clip_->queued_at = server::StreamClip::Clock::now();
    session_.has_result = false;
  }
  // Works until there is no step, and counts the turns.
  int Work(const std::string& bytes) {
    session_.incoming.push_back(bytes);
    return GoOn();
  }
  int GoOn() {
    clip_->options = std::make_shared<const ConvertOptions>(options_);
    int turns = 1;
    while (worker_.Work(clip_)) ++turns;
    return turns;
  }
  const v1::ClipResult& result() const {
    return session_.messages.back().result();
  }
  // The data of an output, whose chunks must come without gaps.
  std::string DataOf(int output) const {
    std::string data;
    for (const v1::ConvertClipsResponse& message : session_.messages) {
      if (!message.has_output_chunk()) continue;
      const v1::OutputChunk& chunk = message.output_chunk();
      EXPECT_EQ(chunk.key(), "a");
      if (chunk.output() != output) continue;
      EXPECT_EQ(chunk.offset(), static_cast<int64_t>(data.size()));
      data += chunk.data();
    }
    return data;
  }

  server::ServerConfig config_;
  ConvertOptions options_;
  const server::Log log_{server::LogFormat::kOff};
  CountingObserver observer_;
  const CancelToken cancel_;
  PlayedSession session_;
  server::ClipWorker worker_{{config_, log_, observer_, cancel_, session_}};
  const ClipPtr clip_ = std::make_shared<server::StreamClip>();
};

TEST_F(ClipWorkerTest, ChunksHaveTheSizeThatIsConfigured) {
  config_.service.recommended_chunk_bytes = 1024;
  options_.outputs.emplace_back(options_.outputs[0]).id = "again";
  Work(ClipOf(1000));
  EXPECT_EQ(result().status().code(), 0) << result().status().message();
  EXPECT_EQ(DataOf(0).size(), 1000 * kPositionBytes);
  EXPECT_EQ(DataOf(1), DataOf(0));
  int short_chunks = 0;
  for (const v1::ConvertClipsResponse& message : session_.messages) {
    if (!message.has_output_chunk()) continue;
    EXPECT_LE(message.output_chunk().data().size(), 1024U);
    short_chunks += message.output_chunk().data().size() < 1024 ? 1 : 0;
  }
  // The last one of each output.
  EXPECT_EQ(short_chunks, 2);
}

// The stream gives the memory back when the frame is written.
TEST_F(ClipWorkerTest, AFrameCountsTheMemoryThatWasDrawnForIt) {
  clip_->reports_early = true;
  Work("# a comment\n" + ClipOf(1000));
  int issues = 0;
  for (size_t i = 0; i < session_.frames.size(); ++i) {
    const ResponseFrame& frame = session_.frames[i];
    const v1::ConvertClipsResponse& message = session_.messages[i];
    const auto data =
        static_cast<int64_t>(message.output_chunk().data().size());
    issues += message.issues_found().issues_size();
    EXPECT_EQ(frame.data_bytes, data);
    EXPECT_EQ(frame.drawn_bytes,
              message.has_issues_found() ? frame.bytes : data);
  }
  EXPECT_EQ(issues, 1);
  EXPECT_GE(session_.drawn_bytes, 1000 * kPositionBytes);
}

TEST_F(ClipWorkerTest, MemoryForEarlyIssuesIsDrawn) {
  options_.outputs.clear();
  clip_->reports_early = true;
  session_.waits = true;
  Work("# a comment\n" + ClipOf(1));
  ASSERT_EQ(session_.frames.size(), 1U);
  EXPECT_EQ(session_.drawn_bytes, session_.frames[0].bytes);
}

TEST_F(ClipWorkerTest, IsRefusedWithoutMemoryForItsEarlyIssues) {
  options_.outputs.clear();
  clip_->reports_early = true;
  session_.grants = false;
  Work("# a comment\n" + ClipOf(1));
  ASSERT_EQ(session_.messages.size(), 1U);
  EXPECT_EQ(result().status().message(), "busy");
}

TEST_F(ClipWorkerTest, ARefusedClipHasItsKeyAndNoReport) {
  clip_->refused.emplace().status = absl::AlreadyExistsError("twice");
  GoOn();
  ASSERT_EQ(session_.messages.size(), 1U);
  EXPECT_EQ(result().key(), "a");
  EXPECT_EQ(result().status().message(), "twice");
  EXPECT_FALSE(result().has_report());
  EXPECT_FALSE(result().has_info());
}

// Other clips get their turns.
TEST_F(ClipWorkerTest, ATurnReadsAboutFourMebibytesOfText) {
  options_.outputs.clear();
  const std::string text = ClipOf(400'000);
  ASSERT_GT(text.size(), 4 * kMiB + 512 * kKiB);
  ASSERT_LT(text.size(), 8 * kMiB);
  EXPECT_EQ(Work(text), 2);
  EXPECT_EQ(result().info().frames(), 400'000);
}

TEST_F(ClipWorkerTest, AFailedClipSendsNoMoreOfItsOutputs) {
  // Fewer outputs than a chunk.
  const std::string text = ClipOf(20'000);
  const std::string packed = Gzip(text);
  const std::string cut = packed.substr(0, packed.size() - 100) + text;
  struct Case {
    Encoding encoding;
    std::string bytes;
    bool waits;
    const char* reason;
  };
  const Case cases[] = {
      {Encoding::kIdentity, text.substr(0, text.size() - 2) + "x\n", false,
       "MOTION_NUMBER_INVALID"},
      {Encoding::kGzip, cut, false, "ENCODING_BROKEN"},
      {Encoding::kGzip, cut, true, "ENCODING_BROKEN"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.reason);
    BeginAgain();
    clip_->encoding = c.encoding;
    session_.waits = c.waits;
    Work(c.bytes);
    session_.waits = false;
    if (c.waits) GoOn();
    EXPECT_EQ(result().status().info().reason(), c.reason);
    EXPECT_EQ(session_.data_bytes, 0);
  }
}

TEST_F(ClipWorkerTest, ACountedClipStatesHowLongItWaited) {
  Work(ClipOf(7));
  EXPECT_EQ(observer_.frames, 7);
  EXPECT_GE(result().times().queued().seconds(), 3600);
}

TEST_F(ClipWorkerTest, WithoutMemoryTheClipIsRefusedAndItsWorkDropped) {
  session_.has_no_memory = true;
  Work(ClipOf(1000));
  EXPECT_TRUE(absl::IsResourceExhausted(session_.no_memory));
  EXPECT_TRUE(session_.failure.ok());
  EXPECT_EQ(clip_->work, nullptr);
}

// Its peer may not know of a gap.
TEST_F(ClipWorkerTest, AFrameThatIsLostEndsTheStream) {
  session_.loses_frames = true;
  Work(ClipOf(1));
  EXPECT_TRUE(absl::IsResourceExhausted(session_.failure));
  EXPECT_TRUE(session_.no_memory.ok());
}

}  // namespace
}  // namespace bvhmill::testing
