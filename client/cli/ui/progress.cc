#include "client/cli/ui/progress.h"

#include <algorithm>
#include <optional>

#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"

namespace bvhmill::client {
namespace {

constexpr std::chrono::milliseconds kTick{100};
// The line shows no time left before a run has lasted so long.
constexpr double kLeastSeconds = 0.5;

std::string TwoDigits(int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::string ClockTime(std::chrono::seconds time) {
  constexpr int64_t kMinute = 60;
  const int64_t seconds = time.count() % kMinute;
  const int64_t minutes = time.count() / kMinute;
  if (minutes < kMinute) {
    return std::to_string(minutes) + ":" + TwoDigits(seconds);
  }
  return std::to_string(minutes / kMinute) + ":" +
         TwoDigits(minutes % kMinute) + ":" + TwoDigits(seconds);
}

Progress::Progress(Console* console, ProgressMode mode, int64_t clips,
                   int64_t bytes)
    : console_(*console),
      clips_(clips),
      start_(std::chrono::steady_clock::now()),
      bytes_left_(bytes) {
  const bool shown =
      mode == ProgressMode::kAlways ||
      (mode == ProgressMode::kAuto && console->stderr_is_terminal());
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

void Progress::Begin(const ClipProgress* clip) {
  const std::lock_guard lock(mutex_);
  in_flight_.insert(clip);
}

void Progress::Finish(const ClipProgress* clip, int64_t planned, int64_t done) {
  const std::lock_guard lock(mutex_);
  in_flight_.erase(clip);
  ++finished_;
  bytes_ += done;
  bytes_left_ -= planned;
}

void Progress::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    tick_.wait_for(lock, stop, kTick, [] { return false; });
    if (!stop.stop_requested()) Show();
  }
}

std::string Progress::Line() const {
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start_;
  int64_t partial = 0;
  for (const ClipProgress* clip : in_flight_) partial += *clip;
  const int64_t bytes = bytes_ + partial;
  const int64_t left = std::max<int64_t>(bytes_left_ - partial, 0);
  std::string line = std::to_string(finished_) + "/" + Count(clips_, "clip") +
                     ", " + Megabytes(bytes) + ", " +
                     Rate(bytes, time.count()) + " MB/s";
  if (bytes > 0 && left > 0 && time.count() > kLeastSeconds) {
    const double seconds =
        time.count() * static_cast<double>(left) / static_cast<double>(bytes);
    line += ", " +
            ClockTime(std::chrono::seconds(static_cast<int64_t>(seconds))) +
            " left";
  }
  return line;
}

void Progress::Show() { console_.ShowProgress(Line()); }

namespace {

// Bytes of the arrays of an archive: a position and a quaternion of each joint.
int64_t ArchiveBytes(const ClipInfo& info) {
  constexpr int64_t kPerJoint = (3 + 4) * sizeof(float);
  return info.frames * info.joint_count * kPerJoint;
}

}  // namespace

absl::Status ProgressReceiver::Begin(const ClipInfo& info,
                                     std::span<const OutputInfo> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const FormatCost cost = FormatOf(requests_[i].format).cost;
    const std::optional<TensorInfo>& tensor = outputs[i].tensor;
    Expected& expected = expected_.emplace_back();
    expected.counts_lines = cost == FormatCost::kText;
    if (expected.counts_lines) expected.count = info.frames;
    if (cost == FormatCost::kArrays) {
      expected.count = tensor ? TensorBytes(*tensor) : ArchiveBytes(info);
    }
  }
  return receiver_.Begin(info, outputs);
}

absl::Status ProgressReceiver::Data(size_t output, std::string_view bytes) {
  if (output != output_) made_ = 0;
  output_ = output;
  const Expected& expected = expected_[output];
  made_ += expected.counts_lines ? std::count(bytes.begin(), bytes.end(), '\n')
                                 : static_cast<int64_t>(bytes.size());
  double part = 0;
  if (expected.count > 0) {
    part = std::min(
        static_cast<double>(made_) / static_cast<double>(expected.count), 1.0);
  }
  const double all = (static_cast<double>(output) + part) /
                     static_cast<double>(expected_.size());
  progress_ =
      begin_ + static_cast<int64_t>(all * static_cast<double>(end_ - begin_));
  return receiver_.Data(output, bytes);
}

}  // namespace bvhmill::client
