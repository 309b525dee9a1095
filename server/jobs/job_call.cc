#include "server/jobs/job_call.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "server/app/config.h"
#include "server/jobs/new_job.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {

using Clock = std::chrono::steady_clock;

// Without the args, which name files, and with a bounded text: see BytesOf of a
// job.
absl::Status WhyItemsWait(const JobCallParts& parts, const Caller& caller,
                          const JobInfo& job, DataFolder* folder) {
  constexpr size_t kMostText = 200;
  const absl::Status room =
      CheckOutputRoom(caller, parts.call.config.jobs, folder);
  if (!room.ok()) return room;
  const absl::Status why = parts.jobs.WhyItWaits(job.number);
  if (why.ok()) return why;
  return MakeCallError({.code = why.code(),
                        .reason = CallErrorOf(why).reason,
                        .message = Excerpt(MessageOf(why), kMostText)});
}

// The part of a call that the registry may use after the call is over.
class LongCall::Watch final : public CallWatch {
 public:
  Watch(LongCall* owner, grpc::CallbackServerContext* call)
      : owner_(owner), live_(call) {}

  void OnTick(Clock::time_point now) override {
    const std::lock_guard lock(mutex_);
    if (owner_ == nullptr || !id_) return;
    owner_->is_busy_ ? CallRegistry::MarkBusy(*id_)
                     : CallRegistry::MarkActive(*id_);
    // The token may have been removed since the call began.
    if (owner_->has_entered_ && !owner_->record_.Recheck(Scope::kJobs).ok()) {
      return live_.Cancel();
    }
    const int64_t idle = owner_->parts_.call.config.service.idle_seconds;
    const Clock::time_point since = owner_->idle_since_;
    if (idle > 0 && since < now && now - since > Seconds(idle)) {
      live_.Cancel();
    }
  }

  void MarkActive() {
    const std::lock_guard lock(mutex_);
    if (id_) CallRegistry::MarkActive(*id_);
  }

  void MarkHeard(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (id_) CallRegistry::MarkHeard(*id_, bytes);
  }

  bool Begin(CallRegistry* calls, CallRegistry::NewCall call) {
    CallRegistry::CallId id;
    if (!calls->Begin(std::move(call), &id)) return false;
    const std::lock_guard lock(mutex_);
    id_ = id;
    return true;
  }

  void End(CallRegistry* calls, bool is_cancelled) {
    live_.Done();
    std::optional<CallRegistry::CallId> id;
    {
      const std::lock_guard lock(mutex_);
      owner_ = nullptr;
      id.swap(id_);
    }
    if (id) calls->End(*id, is_cancelled);
  }

 private:
  // A cancelled call may be done in the same thread.
  std::recursive_mutex mutex_;
  LongCall* owner_;
  LiveCall live_;
  std::optional<CallRegistry::CallId> id_;
};

LongCall::LongCall(const JobCallParts& parts, Method method, CallKind kind,
                   grpc::CallbackServerContext* call)
    : parts_(parts),
      kind_(kind),
      record_(parts.call.record, method, call),
      watch_(std::make_shared<Watch>(this, call)) {}

absl::Status LongCall::Enter(int64_t request_bytes) {
  const bool has_begun = watch_->Begin(
      &parts_.call.calls, {.watch = watch_,
                           .peer = record_.peer(),
                           .kind = kind_,
                           .header_bytes = record_.header_bytes()});
  if (!has_begun) return Stopping();
  const absl::Status entered = record_.Enter(Scope::kJobs);
  if (!entered.ok()) return entered;
  const absl::Status opened = parts_.call.admission.TryOpen(
      *record_.caller(), record_.peer(), &ticket_);
  has_entered_ = opened.ok();
  return opened.ok() ? CountMessage(request_bytes) : opened;
}

absl::Status LongCall::CountMessage(int64_t bytes) {
  const int64_t limit = parts_.call.config.service.max_request_message_bytes;
  if (Exceeds(bytes, limit)) {
    return LimitExceeded("max_request_message_bytes", limit, bytes);
  }
  return ticket_.Grow(2 * bytes);
}

void LongCall::MarkActive() { watch_->MarkActive(); }

void LongCall::MarkHeard(int64_t bytes) { watch_->MarkHeard(bytes); }

void LongCall::AwaitPeer() {
  waited_ = {};
  idle_since_ = Clock::now();
}

void LongCall::AwaitData(int64_t bytes) {
  const int64_t rate = parts_.call.config.service.min_upload_bytes_per_second;
  constexpr Clock::duration kSecond = std::chrono::seconds(1);
  if (rate > 0) {
    waited_ = std::max(waited_ - kSecond * bytes / rate, Clock::duration(0));
  } else if (bytes > 0) {
    waited_ = {};
  }
  idle_since_ = Clock::now() - waited_;
}

// The time that the task waits for a worker is not the peer's.
bool LongCall::Queue(std::function<void()> task) {
  const Clock::time_point since =
      idle_since_.exchange(Clock::time_point::max());
  if (since < Clock::time_point::max()) waited_ = Clock::now() - since;
  bool is_queued = false;
  CatchAndLog(parts_.call.record.log, "a call about jobs", [&] {
    is_queued = parts_.call.queue.Enqueue(record_.turn(), std::move(task));
  });
  return is_queued;
}

void LongCall::Done(bool is_cancelled) {
  ticket_.Release();
  record_.Done(is_cancelled);
  watch_->End(&parts_.call.calls, is_cancelled);
}

}  // namespace bvhmill::server
