// Frames of outputs, and the memory that is drawn for those that must wait.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/stream_clip.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kChunk = int64_t{256} << 10;
constexpr int64_t kMb = int64_t{1} << 20;

// A receiver of one output; keeps its frames, and grants `room` bytes.
class Frames {
 public:
  explicit Frames(bool at_once)
      : receiver_("key", kChunk, at_once,
                  {[this](server::OutFrame frame) {
                     frames.push_back(std::move(frame));
                   },
                   [this](int64_t bytes) { return Grant(bytes); }}) {
    EXPECT_TRUE(receiver_.Begin({}, std::vector<OutputInfo>(1)).ok());
    frames.clear();
  }

  absl::Status Make(int64_t bytes) {
    return receiver_.Data(0, std::string(static_cast<size_t>(bytes), 'x'));
  }
  int64_t Drawn() const {
    int64_t drawn = 0;
    for (const server::OutFrame& frame : frames) drawn += frame.drawn_bytes;
    return drawn;
  }
  server::FrameReceiver& receiver() { return receiver_; }

  std::vector<server::OutFrame> frames;
  int64_t held = 0;
  int64_t room = int64_t{1} << 40;

 private:
  grpc::Status Grant(int64_t bytes) {
    if (held + bytes > room) {
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "busy"};
    }
    held += bytes;
    return grpc::Status::OK;
  }

  server::FrameReceiver receiver_;
};

TEST(FrameReceiverTest, FramesThatAreMadeAtOnceAreDrawnUntilTheyAreWritten) {
  Frames frames(/*at_once=*/true);
  EXPECT_TRUE(frames.Make(4 * kMb).ok());
  EXPECT_EQ(frames.frames.size(), 16U);
  EXPECT_EQ(frames.held, 4 * kMb);
  EXPECT_EQ(frames.Drawn(), 4 * kMb);
}

TEST(FrameReceiverTest, OnlyWhatAStepMakesBeyondTheUsualIsDrawn) {
  Frames frames(/*at_once=*/false);
  for (int step = 0; step < 5; ++step) {
    EXPECT_TRUE(frames.Make(8 * kMb).ok());
    frames.receiver().EndStep();
  }
  EXPECT_EQ(frames.held, 0);
  EXPECT_TRUE(frames.Make(8 * kMb).ok());
  EXPECT_TRUE(frames.Make(3 * kMb).ok());
  EXPECT_EQ(frames.held, 3 * kMb);
  EXPECT_EQ(frames.Drawn(), 3 * kMb);
}

TEST(FrameReceiverTest, ARefusalEndsTheOutputs) {
  Frames frames(/*at_once=*/true);
  frames.room = 2 * kMb;
  EXPECT_TRUE(frames.Make(2 * kMb).ok());
  EXPECT_FALSE(frames.Make(kMb).ok());
  EXPECT_EQ(frames.receiver().refused().error_message(), "busy");
  EXPECT_EQ(frames.held, 2 * kMb);
}

TEST(FrameReceiverTest, MemoryOfTheConversionIsGivenBack) {
  Frames frames(/*at_once=*/true);
  EXPECT_TRUE(frames.receiver().Hold(kMb).ok());
  EXPECT_TRUE(frames.receiver().Hold(-kMb).ok());
  EXPECT_EQ(frames.held, 0);
}

}  // namespace
}  // namespace bvhmill::testing
