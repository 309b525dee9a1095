#include "server/observe/log.h"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "server/observe/metrics.h"

namespace bvhmill::server {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

// UTC with milliseconds, in the format of RFC 3339.
std::string Timestamp(TimePoint now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                      now.time_since_epoch())
                      .count() %
                  1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char day[32];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  char out[48];
  std::snprintf(out, sizeof out, "%s.%03dZ", day, static_cast<int>(ms));
  return out;
}

std::string Milliseconds(std::chrono::nanoseconds time) {
  char out[32];
  std::snprintf(out, sizeof out, "%.3f",
                std::chrono::duration<double, std::milli>(time).count());
  return out;
}

// An excerpt has no control characters, so JSON must escape two characters
// only.
std::string JsonString(std::string_view bytes, size_t max_bytes = 80) {
  std::string out = "\"";
  for (const char c : Excerpt(bytes, max_bytes)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void AddField(const char* name, const std::string& json, std::string* out) {
  if (out->size() > 1) *out += ",";
  *out += "\"" + std::string(name) + "\":" + json;
}

void AddText(const char* name, std::string_view value, std::string* out) {
  if (!value.empty()) AddField(name, JsonString(value), out);
}

using Times = std::pair<const char*, std::chrono::nanoseconds>;

std::string JsonTimes(const CallLine& call) {
  const Times times[] = {{"queue", call.times.queued},
                         {"read", call.times.read},
                         {"validate", call.times.validate},
                         {"edit", call.times.edit},
                         {"solve", call.times.solve},
                         {"encode", call.times.encode},
                         {"total", call.total}};
  std::string out = "{";
  for (const auto& [name, time] : times) {
    AddField(name, Milliseconds(time), &out);
  }
  return out + "}";
}

// True for faults of the server, and for calls and clips that it refused.
// Broken files and clients that leave are normal.
bool IsNoteworthy(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

// One writer at a time: if two threads saw space in a pipe for one line, the
// second one would block.
std::mutex writing;
// Lines that were dropped because stderr accepted nothing.
int64_t lost_lines = 0;

// True if `file` accepts a line now: a pipe then has room for PIPE_BUF bytes.
bool IsWritable(int file) {
  pollfd poll_file = {file, POLLOUT, 0};
  return poll(&poll_file, 1, 0) == 1 && (poll_file.revents & POLLOUT) != 0;
}

// Writes `line`. False if stderr does not accept it now. Needs no memory.
// Requires that the caller holds `writing`.
bool WriteNow(std::string_view line) {
  constexpr char kEnd = '\n';
  const iovec parts[] = {{const_cast<char*>(line.data()), line.size()},
                         {const_cast<char*>(&kEnd), 1}};
  return IsWritable(STDERR_FILENO) && writev(STDERR_FILENO, parts, 2) >= 0;
}

// The exception that is handled now.
std::string Thrown() {
  try {
    throw;
  } catch (const std::exception& error) {
    return Excerpt(error.what());
  } catch (...) {
    return "not a std::exception";
  }
}

// "RESOURCE_EXHAUSTED"
std::string NameOfStatus(absl::StatusCode code) {
  return std::string(NameOfCode(static_cast<int>(code)));
}

// The kind of a line, whose rate is bounded.
std::string KindOf(absl::StatusCode code, const std::string& reason) {
  return reason.empty() ? NameOfStatus(code)
                        : NameOfStatus(code) + " " + Excerpt(reason);
}

// The subject of a line: an output, a clip, or an item of a job.
const char* SubjectOf(const ClipLine& clip) {
  if (clip.output >= 0) return "output";
  return clip.job.empty() ? "clip" : "item";
}

// The line or the column of a fault in the file; empty if it has none.
std::string PlaceOf(const CallError& error, std::string_view name) {
  const std::string_view value = FindArg(error, name);
  const bool is_number = value.find_first_not_of("0123456789") == value.npos;
  return is_number ? std::string(value) : "";
}

}  // namespace

std::string TextLine(const CallLine& call, TimePoint now) {
  std::string out = Timestamp(now) + " " + std::string(call.method) + " " +
                    NameOfStatus(call.code);
  if (!call.reason.empty()) out += " " + Excerpt(call.reason);
  out += " " + Milliseconds(call.total) + " ms id=" + call.id;
  if (!call.caller.empty()) out += " caller=" + Excerpt(call.caller);
  out += " peer=" + Excerpt(call.peer) +
         " clips=" + std::to_string(call.clips) +
         " refused=" + std::to_string(call.refused_clips) +
         " frames=" + std::to_string(call.frames) +
         " received=" + std::to_string(call.received_bytes) +
         " sent=" + std::to_string(call.sent_bytes);
  if (!call.traceparent.empty()) out += " traceparent=" + call.traceparent;
  if (!call.message.empty()) out += ": " + Excerpt(call.message);
  return out;
}

std::string JsonLine(const CallLine& call, TimePoint now) {
  std::string out = "{";
  AddText("time", Timestamp(now), &out);
  AddText("method", call.method, &out);
  AddText("request_id", call.id, &out);
  AddText("traceparent", call.traceparent, &out);
  AddText("caller", call.caller, &out);
  AddText("peer", call.peer, &out);
  AddText("status", NameOfStatus(call.code), &out);
  AddText("reason", call.reason, &out);
  AddText("message", call.message, &out);
  AddField("received_bytes", std::to_string(call.received_bytes), &out);
  AddField("sent_bytes", std::to_string(call.sent_bytes), &out);
  AddField("clips", std::to_string(call.clips), &out);
  AddField("refused_clips", std::to_string(call.refused_clips), &out);
  AddField("frames", std::to_string(call.frames), &out);
  AddField("ms", JsonTimes(call), &out);
  return out + "}";
}

std::string TextLine(const ClipLine& clip, TimePoint now) {
  const CallError error = CallErrorOf(clip.status);
  std::string out = Timestamp(now) + " " + SubjectOf(clip) + " " +
                    NameOfStatus(clip.status.code());
  if (!error.reason.empty()) out += " " + Excerpt(error.reason);
  const std::pair<const char*, std::string> fields[] = {
      {" id=", clip.id},
      {" caller=", Excerpt(clip.caller)},
      {" peer=", Excerpt(clip.peer)},
      {" job=", clip.job},
      {" key=", Excerpt(clip.key)},
      {" output=", clip.output < 0 ? "" : std::to_string(clip.output)},
      {" line=", PlaceOf(error, "line")},
      {" column=", PlaceOf(error, "column")}};
  for (const auto& [name, value] : fields) {
    if (!value.empty()) out += name + value;
  }
  return out + ": " + Excerpt(MessageOf(clip.status));
}

std::string JsonLine(const ClipLine& clip, TimePoint now) {
  const CallError error = CallErrorOf(clip.status);
  std::string out = "{";
  const auto add_number = [&](const char* name, const std::string& number) {
    if (!number.empty()) AddField(name, number, &out);
  };
  AddText("time", Timestamp(now), &out);
  AddText("about", SubjectOf(clip), &out);
  AddText("request_id", clip.id, &out);
  AddText("caller", clip.caller, &out);
  AddText("peer", clip.peer, &out);
  AddText("job", clip.job, &out);
  AddText("key", clip.key, &out);
  add_number("output", clip.output < 0 ? "" : std::to_string(clip.output));
  AddText("status", NameOfStatus(clip.status.code()), &out);
  AddText("reason", error.reason, &out);
  add_number("line", PlaceOf(error, "line"));
  add_number("column", PlaceOf(error, "column"));
  AddText("message", MessageOf(clip.status), &out);
  return out + "}";
}

std::string EventLine(LogFormat format, std::string_view text) {
  // Events name files of the operator, whose paths may be long.
  constexpr size_t kMax = 1000;
  if (format != LogFormat::kJson) return "bvhmilld: " + Excerpt(text, kMax);
  std::string out = "{";
  AddText("time", Timestamp(std::chrono::system_clock::now()), &out);
  AddField("event", JsonString(text, kMax), &out);
  return out + "}";
}

LineRate::Bucket& LineRate::BucketOf(std::string_view kind,
                                     Clock::time_point now) {
  const auto known = buckets_.find(kind);
  if (known != buckets_.end()) return known->second;
  const bool is_full = buckets_.size() >= kMaxKinds;
  const std::string name(is_full ? std::string_view("other") : kind);
  return buckets_.try_emplace(name, Bucket{burst_, now, 0}).first->second;
}

bool LineRate::Allow(std::string_view kind, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Bucket& bucket = BucketOf(kind, now);
  const std::chrono::duration<double> since = now - bucket.at;
  bucket.at = now;
  bucket.lines = std::min(burst_, bucket.lines + since.count());
  if (bucket.lines < 1) {
    ++bucket.held_back;
    return false;
  }
  bucket.lines -= 1;
  return true;
}

std::vector<LineRate::HeldBack> LineRate::Take() {
  std::vector<HeldBack> taken;
  const std::lock_guard lock(mutex_);
  for (auto& [kind, bucket] : buckets_) {
    if (bucket.held_back == 0) continue;
    taken.push_back({kind, bucket.held_back});
    bucket.held_back = 0;
  }
  return taken;
}

// The server neither stops nor waits if nothing reads its log. Lost lines are
// counted; their number is written when stderr accepts lines again.
void Log::Write(std::string_view line) const {
  const std::scoped_lock lock(writing);
  if (lost_lines > 0) {
    const std::string lost = std::to_string(lost_lines) + " lines were lost";
    if (!WriteNow(EventLine(format_, lost))) {
      ++lost_lines;
      return;
    }
    lost_lines = 0;
  }
  if (!WriteNow(line)) ++lost_lines;
}

Log::~Log() {
  try {
    WriteHeldBack();
  } catch (...) {
    // There is no memory to write how many lines were suppressed.
    return;
  }
}

void Log::Call(const CallLine& call) const {
  if (format_ == LogFormat::kOff) return;
  const bool is_noteworthy = IsNoteworthy(call.code);
  if (format_ == LogFormat::kErrors && !is_noteworthy) return;
  if (is_noteworthy || call.code == absl::StatusCode::kUnimplemented) {
    const std::string kind = KindOf(call.code, call.reason);
    if (!rate_.Allow(kind, std::chrono::steady_clock::now())) return;
  }
  const TimePoint now = std::chrono::system_clock::now();
  Write(format_ == LogFormat::kJson ? JsonLine(call, now)
                                    : TextLine(call, now));
}

void Log::Clip(const ClipLine& clip) const {
  if (format_ == LogFormat::kOff) return;
  if (format_ == LogFormat::kErrors && !IsNoteworthy(clip.status.code())) {
    return;
  }
  const std::string kind =
      std::string(SubjectOf(clip)) + " " +
      KindOf(clip.status.code(), CallErrorOf(clip.status).reason);
  if (!rate_.Allow(kind, std::chrono::steady_clock::now())) return;
  const TimePoint now = std::chrono::system_clock::now();
  Write(format_ == LogFormat::kJson ? JsonLine(clip, now)
                                    : TextLine(clip, now));
}

void Log::Event(std::string_view text) const {
  if (format_ != LogFormat::kOff) Write(EventLine(format_, text));
}

void Log::Event(std::string_view kind, std::string_view text) const {
  if (rate_.Allow(kind, std::chrono::steady_clock::now())) Event(text);
}

void Log::Exception(std::string_view where) const noexcept {
  if (format_ == LogFormat::kOff) return;
  try {
    const std::string what = Thrown();
    Event("exception in " + std::string(where),
          "exception in " + std::string(where) + ": " + what);
  } catch (...) {
    // There is no memory for a longer line, or to count the line.
    static std::atomic<int64_t> last_second{-1};
    const int64_t second =
        std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count();
    if (last_second.exchange(second) != second) {
      const std::scoped_lock lock(writing);
      WriteNow(format_ == LogFormat::kJson
                   ? R"({"event":"exception, and no memory to say more"})"
                   : "bvhmilld: exception, and no memory to say more");
    }
  }
}

void Log::WriteHeldBack() const {
  for (const LineRate::HeldBack& held : rate_.Take()) {
    Event("held back " + std::to_string(held.lines) + " lines: " + held.kind);
  }
}

void Log::Tick(std::chrono::steady_clock::time_point now) {
  constexpr std::chrono::seconds kPause(10);
  if (now < next_held_back_) return;
  next_held_back_ = now + kPause;
  WriteHeldBack();
}

void LogClip(const ConvertResult& result, ClipLine line, const Log& log) {
  if (absl::IsCancelled(result.status)) return;
  line.status = result.status;
  if (!result.status.ok()) return log.Clip(line);
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    line.output = static_cast<int>(i);
    line.status = result.outputs[i].status;
    if (!line.status.ok()) log.Clip(line);
  }
}

}  // namespace bvhmill::server
