#pragma once

// The counters of a server: calls, clips, bytes, times and refusals since its
// start. MetricsPage shows them.
//
//   metrics.received_bytes.Add(bytes);
//   metrics.stage(Stage::kTotal).Observe(time);
//   metrics.cut_connections.Add("drain");
//   CountClip(result, &metrics);
//
// Any thread may count. Counting is a few relaxed additions, so a reader may
// see one number change before another.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::server {

enum class Method : uint8_t {
  kValidateClip,
  kConvertClip,
  kConvertClips,
  kGetServerInfo,
  kListIssues,
  kCreateJob,
  kGetJob,
  kListJobs,
  kListJobResults,
  kWaitJob,
  kCancelJob,
  kDeleteJob,
  kListUsage,
  kFindMissingBlobs,
  kWriteBlob,
  kReadBlob,
  kDeleteBlob,
  // A method that no service has.
  kUnknown,
};
inline constexpr int kMethods = 18;
std::string_view NameOf(Method method);
// True if calls of the method count for max_streams.
bool IsStream(Method method);

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

// The reason of the error of `status`; the name of its code if it has none.
std::string ReasonOf(const absl::Status& status);

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

// Counters by the value of a label. The values are fixed, so that peers cannot
// make new ones.
class LabelledCounter {
 public:
  // `values` are distinct. The strings must outlive the counter.
  explicit LabelledCounter(std::vector<std::string_view> values);

  // Counts `value`, or "OTHER" if it is none of the values. O(values).
  void Add(std::string_view value, int64_t times = 1);
  int64_t count(std::string_view value) const;
  // The values, and "OTHER" at the end.
  const std::vector<std::string_view>& values() const { return values_; }

 private:
  size_t IndexOf(std::string_view value) const;

  std::vector<std::string_view> values_;
  std::vector<Counter> counts_;
};

// The counters of one caller: of a token, or of all calls without one.
struct CallerCounters {
  Counter calls;
  // Clips of calls and of jobs, whether they were converted or refused.
  Counter clips;
  // Bytes of sources that came.
  Counter received_bytes;
};

// The counters of all callers by name. Thread-safe.
class CallerTable {
 public:
  // The counters of the caller `name`, which are valid as long as the table.
  // The first kMaxNames names have their own; all others share "OTHER".
  CallerCounters& Of(const std::string& name);
  // Calls `take` with each caller in the order of the names.
  template <typename Take>
  void ForEach(const Take& take) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, counters] : by_name_) take(name, counters);
  }

  // A file of tokens that is replaced again and again may name any number.
  static constexpr size_t kMaxNames = 1000;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CallerCounters> by_name_;
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
  Metrics();

  std::array<std::array<Counter, kStatusCodes>, kMethods> calls;
  std::array<TimeHistogram, kMethods> call_times;
  std::array<TimeHistogram, kStages> stage_times;
  // Calls and clips that were refused, by reason.
  LabelledCounter refused;
  CallerTable callers;
  // Connections that the server has cut, by reason: see kCuts in metrics.cc.
  LabelledCounter cut_connections;
  // Calls that run now and count for max_streams.
  std::atomic<int64_t> open_streams = 0;
  // Bytes of sources as they came, and of outputs when the call gets them, even
  // if the peer never accepts them.
  Counter received_bytes;
  Counter sent_bytes;
  // Clips that were converted with the status OK; and the others by reason: a
  // code of the catalogue of issues, or a reason of the server.
  Counter good_clips;
  LabelledCounter failed_clips;
  // Frames of clips, and frames times joints.
  Counter frames;
  Counter joint_frames;
  // Items of jobs with a result: with outputs; without, since the clip is at
  // fault; and those that were dead-lettered. And attempts that failed by a
  // fault of the server.
  Counter good_items;
  Counter failed_items;
  Counter items_set_aside;
  Counter item_retries;

  TimeHistogram& stage(Stage s) { return stage_times[static_cast<size_t>(s)]; }
};

// Counts a call, or a clip of a stream, that was refused for `reason`: see
// ReasonOf.
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
  // The clip `key` of a stream was refused with `status`, and not converted.
  virtual void AddRefusedClip(const std::string& key,
                              const absl::Status& status) = 0;
  // The time of a stage that is in no result: kWrite or kTotal.
  virtual void AddStage(Stage stage, std::chrono::nanoseconds time) = 0;
};

}  // namespace bvhmill::server
