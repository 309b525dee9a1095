#include "server/rpc/call_record.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

std::string FindMetadata(const grpc::CallbackServerContext& call,
                         const char* name) {
  const auto found = call.client_metadata().find(name);
  if (found == call.client_metadata().end()) return "";
  return {found->second.data(), found->second.size()};
}

// A call within the process, whose peer gRPC does not know, is made for a peer
// of HTTP.
std::string PeerOf(const grpc::CallbackServerContext& call) {
  std::string peer = call.peer();
  if (peer != "unknown") return peer;
  std::string http = FindMetadata(call, kHttpPeer);
  return http.empty() ? peer : http;
}

// True if the id is short and consists of characters that are safe in logs and
// shells.
bool IsSaneId(std::string_view id) {
  constexpr size_t kMax = 64;
  return !id.empty() && id.size() <= kMax &&
         id.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "abcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

// Eight digits at least.
std::string Hex(uint64_t value) {
  char digits[16];
  const char* const end =
      std::to_chars(std::begin(digits), std::end(digits), value, 16).ptr;
  const auto size = static_cast<size_t>(end - digits);
  return std::string(size < 8 ? 8 - size : 0, '0').append(digits, size);
}

// A random part makes the id unique among servers, a number in this server.
std::string NewId() {
  static const std::string start = Hex(std::random_device()()) + "-";
  static std::atomic<uint64_t> last = 0;
  return start + Hex(++last);
}

bool IsHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsZero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// 00-TRACE-SPAN-FLAGS of W3C Trace Context.
bool IsTraceparent(std::string_view text) {
  constexpr size_t kLength = 55;
  if (text.size() != kLength || !text.starts_with("00-")) return false;
  const std::string_view trace = text.substr(3, 32);
  const std::string_view span = text.substr(36, 16);
  return text[35] == '-' && text[52] == '-' && IsHex(trace) && IsHex(span) &&
         IsHex(text.substr(53)) && !IsZero(trace) && !IsZero(span);
}

// Statuses by which a server refuses a call.
bool IsRefusal(absl::StatusCode code) {
  return code == absl::StatusCode::kUnauthenticated ||
         code == absl::StatusCode::kPermissionDenied ||
         code == absl::StatusCode::kResourceExhausted ||
         code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kUnimplemented;
}

}  // namespace

CallRecord::CallRecord(const RecordParts& parts, Method method,
                       grpc::CallbackServerContext* call)
    : parts_(parts),
      method_(method),
      call_(*call),
      counters_(&parts.metrics.callers.Of("")) {
  if (IsStream(method)) ++parts.metrics.open_streams;
  line_.method = NameOf(method);
  line_.peer = PeerOf(*call);
  line_.id = FindMetadata(*call, "x-request-id");
  if (!IsSaneId(line_.id)) line_.id = NewId();
  call->AddInitialMetadata("x-request-id", line_.id);
  line_.traceparent = FindMetadata(*call, "traceparent");
  if (!IsTraceparent(line_.traceparent)) line_.traceparent.clear();
  if (!line_.traceparent.empty()) {
    call->AddInitialMetadata("traceparent", line_.traceparent);
  }
}

CallRecord::~CallRecord() {
  if (IsStream(method_)) --parts_.metrics.open_streams;
}

// Finds the caller by the token of the call; the unnamed caller if calls need
// none.
absl::Status CallRecord::Identify(std::shared_ptr<const Caller>* caller) const {
  *caller = AnonymousCaller();
  if (!parts_.tokens.needs_token()) return absl::OkStatus();
  constexpr std::string_view kScheme = "Bearer ";
  const auto [begin, end] =
      call_.client_metadata().equal_range("authorization");
  for (auto it = begin; it != end; ++it) {
    const std::string_view value(it->second.data(), it->second.size());
    if (!value.starts_with(kScheme)) continue;
    auto known = parts_.tokens.Find(value.substr(kScheme.size()));
    if (known == nullptr) continue;
    *caller = std::move(known);
    return absl::OkStatus();
  }
  return TokenUnknown();
}

absl::Status CallRecord::Enter() {
  tokens_version_ = parts_.tokens.version();
  std::shared_ptr<const Caller> caller;
  const absl::Status status = Identify(&caller);
  if (!status.ok()) return status;
  caller_ = std::move(caller);
  counters_ = &parts_.metrics.callers.Of(caller_->name);
  line_.caller = caller_->name;
  return absl::OkStatus();
}

absl::Status CallRecord::Enter(Scope scope) {
  const absl::Status status = Enter();
  if (!status.ok() || caller_->May(scope)) return status;
  return ScopeMissing(caller_->name, NameOf(method_), scope);
}

absl::Status CallRecord::Recheck(Scope scope) {
  const int64_t version = parts_.tokens.version();
  if (version == tokens_version_) return absl::OkStatus();
  tokens_version_ = version;
  std::shared_ptr<const Caller> caller;
  const absl::Status status = Identify(&caller);
  if (!status.ok() || caller->May(scope)) return status;
  return ScopeMissing(caller->name, NameOf(method_), scope);
}

void CallRecord::AddBytes(int64_t received, int64_t sent) {
  parts_.metrics.received_bytes.Add(received);
  parts_.metrics.sent_bytes.Add(sent);
  counters_->received_bytes.Add(received);
  const std::lock_guard lock(mutex_);
  line_.received_bytes += received;
  line_.sent_bytes += sent;
}

void CallRecord::AddClip(const ConvertResult& result) {
  CountClip(result, &parts_.metrics);
  counters_->clips.Add();
  const std::lock_guard lock(mutex_);
  line_.clips += 1;
  line_.refused_clips += result.status.ok() ? 0 : 1;
  line_.frames += result.info.frames;
  line_.times.queued += result.times.queued;
  line_.times.read += result.times.read;
  line_.times.validate += result.times.validate;
  line_.times.edit += result.times.edit;
  line_.times.solve += result.times.solve;
  line_.times.encode += result.times.encode;
}

void CallRecord::AddRefusedClip(const std::string& key,
                                const absl::Status& status) {
  CountRefused(ReasonOf(status), &parts_.metrics);
  counters_->clips.Add();
  {
    const std::lock_guard lock(mutex_);
    line_.clips += 1;
    line_.refused_clips += 1;
  }
  ConvertResult result;
  result.status = status;
  LogClip(key, result);
}

// Everything but the output and the status.
ClipLine CallRecord::LineOf(const std::string& key) const {
  return {
      .id = line_.id, .peer = line_.peer, .caller = line_.caller, .key = key};
}

void CallRecord::LogClip(const std::string& key,
                         const ConvertResult& result) noexcept {
  CatchAndLog(parts_.log, "the log of a clip",
              [&] { server::LogClip(result, LineOf(key), parts_.log); });
}

void CallRecord::AddStage(Stage stage, std::chrono::nanoseconds time) {
  parts_.metrics.stage(stage).Observe(time);
}

void CallRecord::Finishing(const absl::Status& status) noexcept {
  CatchAndLog(parts_.log, "the record of a call", [&] {
    const std::lock_guard lock(mutex_);
    finishing_at_ = Clock::now();
    line_.code = status.code();
    if (status.ok()) return;
    line_.message = MessageOf(status);
    line_.reason = CallErrorOf(status).reason;
  });
}

// True if the deadline of the peer is over, or nearly: the peer counts from an
// earlier moment, and gRPC rounds the remaining time up by up to 1 %.
bool CallRecord::IsLate() const {
  const auto left = call_.deadline() - std::chrono::system_clock::now();
  constexpr std::chrono::milliseconds kSlack(10);
  return left <= kSlack + (Clock::now() - begun_) / 50;
}

// A peer that is gone never gets the status: the record states why it left.
void CallRecord::Forget() {
  line_.code = IsLate() ? absl::StatusCode::kDeadlineExceeded
                        : absl::StatusCode::kCancelled;
  line_.message.clear();
  line_.reason.clear();
}

void CallRecord::Done(bool cancelled) noexcept {
  CatchAndLog(parts_.log, "the end of a call", [&] { Finish(cancelled); });
}

void CallRecord::Finish(bool cancelled) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (cancelled || line_.code == absl::StatusCode::kCancelled) Forget();
  line_.total = now - begun_;
  Metrics& metrics = parts_.metrics;
  const auto method = static_cast<size_t>(method_);
  const int code =
      std::clamp(static_cast<int>(line_.code), 0, kStatusCodes - 1);
  metrics.calls[method][static_cast<size_t>(code)].Add();
  metrics.call_times[method].Observe(line_.total);
  counters_->calls.Add();
  if (IsRefusal(line_.code)) {
    CountRefused(line_.reason.empty() ? NameOfCode(code)
                                      : std::string_view(line_.reason),
                 &metrics);
  }
  if (method_ != Method::kConvertClips && line_.clips > 0) {
    metrics.stage(Stage::kTotal).Observe(line_.total);
    if (!cancelled) metrics.stage(Stage::kWrite).Observe(now - finishing_at_);
  }
  parts_.log.Call(line_);
}

}  // namespace bvhmill::server
