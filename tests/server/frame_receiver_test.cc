// Frames of outputs, and the memory that is drawn for those that must wait.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/convert/stream_clip.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kChunk = int64_t{256} << 10;
constexpr int64_t kMb = int64_t{1} << 20;

// A receiver of one output; keeps its frames, and grants `room` bytes.
class Frames {
 public:
  Frames()
      : receiver_("key", kChunk,
                  {[this](server::ResponseFrame frame) {
                     frames.push_back(std::move(frame));
                   },
                   [this](int64_t bytes) { return Grant(bytes); }}) {
    EXPECT_TRUE(receiver_.Begin({}, std::vector<OutputInfo>(1)).ok());
    frames.clear();
  }

  absl::Status Make(int64_t bytes) {
    return receiver_.Data(0, std::string(static_cast<size_t>(bytes), 'x'));
  }
  int64_t DataBytes() const {
    int64_t bytes = 0;
    for (const server::ResponseFrame& frame : frames) bytes += frame.data_bytes;
    return bytes;
  }
  server::FrameReceiver& receiver() { return receiver_; }

  std::vector<server::ResponseFrame> frames;
  int64_t held = 0;
  int64_t room = int64_t{1} << 40;

 private:
  absl::Status Grant(int64_t bytes) {
    if (held + bytes > room) {
      return absl::ResourceExhaustedError("busy");
    }
    held += bytes;
    return absl::OkStatus();
  }

  server::FrameReceiver receiver_;
};

TEST(FrameReceiverTest, FramesAreDrawnUntilTheyAreWritten) {
  Frames frames;
  EXPECT_TRUE(frames.Make(4 * kMb).ok());
  EXPECT_EQ(frames.frames.size(), 16U);
  EXPECT_EQ(frames.held, 4 * kMb);
  EXPECT_EQ(frames.DataBytes(), 4 * kMb);
}

// Little is drawn often, so it is drawn in steps.
TEST(FrameReceiverTest, WhatWaitsForAFullChunkIsDrawn) {
  Frames frames;
  EXPECT_TRUE(frames.Make(1).ok());
  EXPECT_EQ(frames.held, 64 << 10);
  EXPECT_TRUE(frames.Make((64 << 10) - 1).ok());
  EXPECT_EQ(frames.held, 64 << 10);
  EXPECT_TRUE(frames.Make(1).ok());
  EXPECT_EQ(frames.held, 128 << 10);
  EXPECT_EQ(frames.DataBytes(), 0);
  frames.receiver().Flush();
  EXPECT_EQ(frames.DataBytes(), (64 << 10) + 1);
}

TEST(FrameReceiverTest, ARefusalEndsTheOutputs) {
  Frames frames;
  frames.room = 2 * kMb;
  EXPECT_TRUE(frames.Make(2 * kMb).ok());
  EXPECT_FALSE(frames.Make(kMb).ok());
  EXPECT_EQ(frames.receiver().refused().message(), "busy");
  EXPECT_EQ(frames.held, 2 * kMb);
}

TEST(FrameReceiverTest, MemoryOfTheConversionIsGivenBack) {
  Frames frames;
  EXPECT_TRUE(frames.receiver().Hold(kMb).ok());
  EXPECT_TRUE(frames.receiver().Hold(-kMb).ok());
  EXPECT_EQ(frames.held, 0);
}

}  // namespace
}  // namespace bvhmill::testing
