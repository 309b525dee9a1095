#pragma once

// The log of a server: one line per call, and events for its operator.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "server/observe/line_rate.h"

namespace bvhmill::server {

enum class LogFormat : uint8_t {
  kOff,
  // As text, but only calls that the server failed or refused.
  kErrors,
  kText,
  // One JSON object a line.
  kJson,
};

// The content of the line of a call.
struct CallLine {
  std::string_view method;
  std::string id;
  // Empty = none.
  std::string traceparent;
  std::string caller;
  std::string peer;
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string reason;
  std::string message;
  int64_t received_bytes = 0;
  int64_t sent_bytes = 0;
  int64_t clips = 0;
  int64_t refused_clips = 0;
  int64_t frames = 0;
  // Sums over the clips.
  StageTimes times;
  std::chrono::nanoseconds total{};
};

// The line of a call that ended at `now`, without the newline. Strings from
// outside are cut at 80 bytes and made printable.
std::string TextLine(const CallLine& call,
                     std::chrono::system_clock::time_point now);
std::string JsonLine(const CallLine& call,
                     std::chrono::system_clock::time_point now);

// Writes whole lines to stderr. Thread-safe.
//
// Peers decide how many of their calls fail, so lines of refused calls and of
// faults are written at a bounded rate: 50 of one kind at once, and then one a
// second. A kind is a status with its reason. The number of lines that are held
// back is written every ten seconds.
class Log {
 public:
  explicit Log(LogFormat format) : format_(format) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Call(const CallLine& call) const;
  // An event that is not about a call, e.g. a file that was reloaded. Written
  // unless the log is off.
  void Event(std::string_view text) const;
  // The same for events that peers can cause; their rate is bounded by `kind`.
  void Event(std::string_view kind, std::string_view text) const;
  // Writes the current exception, which `where` threw, at a bounded rate. Call
  // it in a catch clause.
  void Exception(std::string_view where) const noexcept;
  // Writes how many lines were held back. Call it about once a second.
  void Tick(std::chrono::steady_clock::time_point now);

 private:
  void Write(std::string_view line) const;
  void WriteHeldBack() const;
  std::string EventLine(std::string_view text) const;

  const LogFormat format_;
  mutable LineRate rate_{/*burst=*/50};
  // Used by the thread that calls Tick.
  std::chrono::steady_clock::time_point next_held_back_;
};

}  // namespace bvhmill::server
