#pragma once

// The log of a server: one line for each call, for each clip that was refused,
// and events for its operator, on stderr. Peers decide how many of their calls
// and clips fail, so the rate of such lines is bounded.
//
//   const Log log(LogFormat::kJson);
//   log.Call({.method = "ConvertClip", .id = id, ...});
//   LogClip(result, {.id = id, .key = "walk", ...}, log);
//   log.Event("read tokens again");
//   try { ... } catch (...) { log.Exception("a task"); }

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

enum class LogFormat : uint8_t {
  kOff,
  // As text, but only calls and clips that the server failed or refused: not
  // those whose file is at fault.
  kErrors,
  kText,
  // One JSON object a line.
  kJson,
};

// The values in the log line of a call.
struct CallLine {
  std::string_view method;
  std::string id;
  // Empty = the call has none.
  std::string traceparent;
  std::string caller;
  std::string peer;
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string reason;
  std::string message;
  int64_t received_bytes = 0;
  int64_t sent_bytes = 0;
  // Clips with a result, and those of them without outputs.
  int64_t clips = 0;
  int64_t refused_clips = 0;
  int64_t frames = 0;
  // Sums over all clips of the call.
  StageTimes times;
  std::chrono::nanoseconds total{};
};

// The values in the log line of a clip that was refused, or of an output that
// could not be made. The status has the reason, and the line and the column of
// the fault.
struct ClipLine {
  // The call of the clip. Both are empty for an item of a job.
  std::string id = {};
  std::string peer = {};
  std::string caller = {};
  // The job of an item: jobs/ID.
  std::string job = {};
  // The name that the caller has given to the clip; may be empty.
  std::string key = {};
  // The index of the output; -1 = the clip was refused.
  int output = -1;
  absl::Status status = {};
};

// The line of a call or a clip that ended at `now`, without the newline.
// Strings from outside are cut at 80 bytes and made printable.
std::string TextLine(const CallLine& call,
                     std::chrono::system_clock::time_point now);
std::string JsonLine(const CallLine& call,
                     std::chrono::system_clock::time_point now);
std::string TextLine(const ClipLine& clip,
                     std::chrono::system_clock::time_point now);
std::string JsonLine(const ClipLine& clip,
                     std::chrono::system_clock::time_point now);

// The line of an event now, without the newline: as JSON if the format is that,
// else "bvhmilld: TEXT". The text is cut at 1000 bytes and made printable.
std::string EventLine(LogFormat format, std::string_view text);

// Bounds the rate of log lines: a token bucket for each kind of line, with
// `burst` lines at once and then one more each second. Counts the lines that it
// suppresses. Thread-safe.
class LineRate {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LineRate(int burst) : burst_(burst) {}

  // True if a line of `kind` may be written now. All kinds after the first
  // kMaxKinds share one bucket.
  bool Allow(std::string_view kind, Clock::time_point now);

  // A kind, and the number of its lines that were suppressed since the last
  // Take.
  struct HeldBack {
    std::string kind;
    int64_t lines = 0;
  };
  std::vector<HeldBack> Take();

  static constexpr size_t kMaxKinds = 1024;

 private:
  struct Bucket {
    // Lines that may be written, as of `at`.
    double lines = 0;
    Clock::time_point at;
    int64_t held_back = 0;
  };

  Bucket& BucketOf(std::string_view kind, Clock::time_point now);

  const double burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

// Writes whole lines to stderr. Never waits for the reader of stderr: it drops
// lines and later writes how many. Thread-safe.
//
// Lines of refused calls, of clips and of faults have a bounded rate: 50 of one
// kind at once, and then one a second. A kind is a status with its reason.
// Every ten seconds the log writes how many lines were suppressed.
class Log {
 public:
  explicit Log(LogFormat format) : format_(format) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Call(const CallLine& call) const;
  // Writes the line of a clip or of an output, at a bounded rate. With kErrors
  // only if the server is at fault or has refused it for a limit.
  void Clip(const ClipLine& clip) const;
  // Writes an event that is not about a call, e.g. a file that was reloaded,
  // unless the log is off.
  void Event(std::string_view text) const;
  // The same for events that peers can cause, at a bounded rate for each
  // `kind`.
  void Event(std::string_view kind, std::string_view text) const;
  // Writes the current exception, which `where` threw, at a bounded rate. Call
  // it in a catch block.
  void Exception(std::string_view where) const noexcept;
  // Writes how many lines were suppressed. Call it about once a second.
  void Tick(std::chrono::steady_clock::time_point now);

 private:
  void Write(std::string_view line) const;
  void WriteHeldBack() const;

  const LogFormat format_;
  mutable LineRate rate_{/*burst=*/50};
  // Only the thread that calls Tick uses it.
  std::chrono::steady_clock::time_point next_held_back_;
};

// Writes a line if `result` has no outputs, else one for each output that could
// not be made; none if the clip was cancelled. `line` states everything but the
// output and the status.
void LogClip(const ConvertResult& result, ClipLine line, const Log& log);

}  // namespace bvhmill::server
