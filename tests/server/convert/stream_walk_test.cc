// A stream under random events. The simulated stream checks the invariants
// after each of them.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "bvhmill/base/budget.h"
#include "tests/server/simulated_stream.h"

namespace bvhmill::testing {
namespace {

// Little of everything, so that each limit is often met.
server::ServerConfig TightConfig() {
  server::ServerConfig config;
  config.limits.max_clip_bytes = 600;
  config.service.max_unfinished_clips_per_stream = 4;
  config.service.max_unfinished_bytes_per_stream = 300;
  config.service.max_unsent_bytes_per_stream = 250;
  config.service.max_total_stream_bytes = 1500;
  config.service.min_upload_bytes_per_second = 1;
  config.admission.max_inflight_clips = 3;
  config.admission.max_inflight_bytes = 3 * Budget::kFreeBytes + 400;
  return config;
}

class Walk {
 public:
  explicit Walk(uint32_t seed) : random_(seed), server_(TightConfig()) {}

  void Run(int events) {
    for (int i = 0; i < events && !::testing::Test::HasFailure(); ++i) {
      if (stream_ == nullptr || (stream_->finish() && IsOneIn(4))) Renew();
      Event();
    }
    Crowd(0);
    stream_.reset();
  }

  int streams() const { return streams_; }
  int64_t frames() const { return frames_; }

 private:
  int Pick(int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random_);
  }
  bool IsOneIn(int count) { return Pick(count) == 0; }

  void Renew() {
    Crowd(0);
    if (stream_ != nullptr) frames_ += stream_->frames();
    stream_.reset();
    stream_ = std::make_unique<SimulatedStream>(&server_);
    stream_->Start(IsOneIn(50) ? absl::PermissionDeniedError("no")
                               : absl::OkStatus());
    ++streams_;
    key_ = 0;
    // Some streams go on until they end well.
    is_calm_ = IsOneIn(2);
    if (!IsOneIn(2) || !stream_->CanReceive()) return;
    stream_->Open(/*ordered=*/IsOneIn(2));
  }

  void Event() {
    switch (Pick(8)) {
      case 0:
      case 1:
        if (stream_->CanReceive()) Receive();
        break;
      case 2:
        if (stream_->CanStartRead()) stream_->ReadStarted();
        break;
      case 3:
      case 4:
        if (stream_->running() > 0) Work();
        break;
      case 5:
        if (stream_->CanWrite()) stream_->WriteDone(is_calm_ || !IsOneIn(40));
        break;
      case 6:
        Rare();
        break;
      default:
        if (IsOneIn(60)) End();
    }
  }

  void Receive() {
    if (!is_calm_ && IsOneIn(100)) return stream_->Garbage();
    if (!stream_->is_within_clip()) {
      if (IsOneIn(30)) return stream_->HalfClose();
      return stream_->Begin(std::to_string(++key_), Pick(120), IsOneIn(3));
    }
    if (!is_calm_ && IsOneIn(60)) return stream_->HalfClose();
    if (IsOneIn(4)) return stream_->End(/*abandon=*/IsOneIn(5));
    stream_->Chunk(Pick(200));
  }

  void Work() {
    const auto index =
        static_cast<size_t>(Pick(static_cast<int>(stream_->running())));
    if (!is_calm_ && IsOneIn(300)) return stream_->Break(index);
    stream_->Step(index, /*no_memory=*/IsOneIn(50));
  }

  void Rare() {
    if (IsOneIn(3)) return stream_->Tick(is_calm_ || !IsOneIn(50));
    if (is_calm_) return;
    if (IsOneIn(80)) stream_->Cancel();
    if (IsOneIn(80)) stream_->Drain();
    if (IsOneIn(80)) SimulatedServer::Pass(Pick(100));
    // Other streams take and free memory.
    if (IsOneIn(20)) Crowd(IsOneIn(2) ? 2000 : 0);
  }

  void Crowd(int64_t bytes) {
    server_.memory.Add(bytes - crowd_);
    crowd_ = bytes;
  }

  // The others leave, and the stream ends as its peer wishes.
  void End() {
    Crowd(0);
    stream_->Tick();
    EXPECT_TRUE(stream_->Close()) << "stuck";
    Renew();
  }

  std::mt19937 random_;
  SimulatedServer server_;
  std::unique_ptr<SimulatedStream> stream_;
  int streams_ = 0;
  int64_t frames_ = 0;
  int key_ = 0;
  int64_t crowd_ = 0;
  bool is_calm_ = false;
};

TEST(StreamWalkTest, RandomEventsKeepTheInvariants) {
  for (const uint32_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    Walk walk(seed);
    walk.Run(100'000);
    EXPECT_GT(walk.streams(), 100);
    EXPECT_GT(walk.frames(), 1000);
  }
}

}  // namespace
}  // namespace bvhmill::testing
