#pragma once

// The counters of a server: calls, clips, bytes, times and refusals since its
// start. MetricsPage shows them.
//
//   metrics.received_bytes.Add(bytes);
//   metrics.stage(Stage::kTotal).Observe(time);
//   CountClip(result, &metrics);
//
// Any thread may count. Counting is a few relaxed additions, so a reader may
// see one number change before another.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::server {

enum class Method : uint8_t {
  kValidateClip,
  kConvertClip,
  kConvertClips,
  kGetServerInfo,
  kCreateJob,
  kGetJob,
  kListJobs,
  kListJobResults,
  kWaitJob,
  kCancelJob,
  kDeleteJob,
  kFindMissingBlobs,
  kWriteBlob,
  kReadBlob,
  kDeleteBlob,
  // A method that no service has.
  kUnknown,
};
inline constexpr int kMethods = 16;
std::string_view NameOf(Method method);

// The stages of a clip whose time is measured. kWrite lasts from the last byte
// that the server makes until the end of the call, in a stream until the end of
// the last write of the clip. kTotal is the whole clip with its waits. Items of
// jobs have neither.
enum class Stage : uint8_t {
  kQueue,
  kRead,
  kValidate,
  kEdit,
  kSolve,
  kEncode,
  kWrite,
  kTotal,
};
inline constexpr int kStages = 8;
std::string_view NameOf(Stage stage);

// Status codes of gRPC are 0 to 16.
inline constexpr int kStatusCodes = 17;
std::string_view NameOfCode(int code);

// The reasons of refusals that have a counter; "OTHER" counts all others.
inline constexpr std::array<std::string_view, 10> kRefusals = {
    "TOKEN_UNKNOWN",  "SCOPE_MISSING",    "SERVER_STOPPING",
    "LIMIT_EXCEEDED", "SERVER_BUSY",      "CONNECTION_BUSY",
    "CALLER_BUSY",    "ENCODING_UNKNOWN", "METHOD_UNKNOWN",
    "OTHER"};

// A number that only grows.
class Counter {
 public:
  void Add(int64_t value = 1) {
    value_.fetch_add(value, std::memory_order_relaxed);
  }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_ = 0;
};

// Counts durations by bucket: bucket `i` counts those above bound i - 1, up to
// and including bound i.
class TimeHistogram {
 public:
  // In seconds; one more bucket counts longer times.
  static constexpr std::array<double, 13> kBounds = {
      0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};

  void Observe(std::chrono::nanoseconds time);
  // The times in bucket `i` alone, i in [0, kBounds.size()].
  int64_t count(size_t i) const { return counts_[i].value(); }
  double sum_seconds() const;

 private:
  std::array<Counter, kBounds.size() + 1> counts_;
  Counter sum_ns_;
};

struct Metrics {
  std::array<std::array<Counter, kStatusCodes>, kMethods> calls;
  std::array<TimeHistogram, kMethods> call_times;
  std::array<TimeHistogram, kStages> stage_times;
  std::array<Counter, kRefusals.size()> refused;
  // Bytes of sources as they came, and of outputs when the call gets them, even
  // if the peer never accepts them.
  Counter received_bytes;
  Counter sent_bytes;
  // Clips that were converted, with a status that is OK or not.
  Counter good_clips;
  Counter failed_clips;
  // Frames of clips, and frames times joints.
  Counter frames;
  Counter joint_frames;
  // Items of jobs with a result; attempts that failed by a fault of the server;
  // items that were dead-lettered after such attempts, also among failed_items.
  Counter good_items;
  Counter failed_items;
  Counter item_retries;
  Counter items_set_aside;

  TimeHistogram& stage(Stage s) { return stage_times[static_cast<size_t>(s)]; }
};

// Counts a call, or a clip of a stream, that was refused for `reason`.
void CountRefused(std::string_view reason, Metrics* metrics);

// Counts a clip that was converted: its status, its frames, and all its stages
// except kWrite and kTotal, which the caller observes.
void CountClip(const ConvertResult& result, Metrics* metrics);

// Receives facts about the clips that a call or a stream converts, for the
// metrics and the log. Thread-safe.
class ClipObserver {
 public:
  ClipObserver() = default;
  virtual ~ClipObserver() = default;
  ClipObserver(const ClipObserver&) = delete;
  ClipObserver& operator=(const ClipObserver&) = delete;

  // Bytes of sources that came, and bytes of outputs that were made.
  virtual void AddBytes(int64_t received, int64_t sent) = 0;
  // A clip that was converted, with any status.
  virtual void AddClip(const ConvertResult& result) = 0;
  // A clip of a stream that was refused, for `reason`, and not converted.
  virtual void AddRefusedClip(const std::string& reason) = 0;
  // The time of a stage that is in no result: kWrite or kTotal.
  virtual void AddStage(Stage stage, std::chrono::nanoseconds time) = 0;
};

}  // namespace bvhmill::server
