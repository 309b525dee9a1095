#include "client/progress.h"

#include "client/text.h"

namespace bvhmill::client {
namespace {

constexpr std::chrono::milliseconds kTick{100};

}  // namespace

Progress::Progress(Console* console, ProgressMode mode, int64_t clips)
    : console_(*console),
      clips_(clips),
      start_(std::chrono::steady_clock::now()) {
  const bool shown =
      mode == ProgressMode::kAlways ||
      (mode == ProgressMode::kAuto && console->talks_to_terminal());
  if (!shown) return;
  Show();
  ticker_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Progress::~Progress() {
  if (!ticker_.joinable()) return;
  ticker_.request_stop();
  ticker_.join();
  console_.ShowProgress("");
}

void Progress::Add(int64_t bytes) {
  ++done_;
  bytes_ += bytes;
}

void Progress::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    tick_.wait_for(lock, stop, kTick, [] { return false; });
    if (!stop.stop_requested()) Show();
  }
}

void Progress::Show() {
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start_;
  const int64_t bytes = bytes_;
  console_.ShowProgress(std::to_string(done_) + "/" + Count(clips_, "clip") +
                        ", " + Megabytes(bytes) + ", " +
                        Rate(bytes, time.count()) + " MB/s");
}

}  // namespace bvhmill::client
