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

// The part of a call that the registry may use after the call has ended.
class LongCall::Watch final : public CallWatch {
 public:
  Watch(LongCall* owner, grpc::CallbackServerContext* call)
      : owner_(owner), live_(call) {}

  void OnTick(Clock::time_point now) override {
    const std::lock_guard lock(mutex_);
    if (owner_ == nullptr) return;
    // The token may have been removed since the call began.
    if (owner_->has_entered_ && !owner_->record_.Recheck(Scope::kJobs).ok()) {
      return live_.Cancel();
    }
    const int64_t idle = owner_->parts_.call.config.service.idle_seconds;
    const Clock::time_point since = owner_->idle_since_;
    const Clock::duration bought = Bought(since);
    if (idle > 0 && since < now && now - since > Seconds(idle) + bought) {
      live_.Cancel();
    }
  }

  void Done() {
    live_.Done();
    const std::lock_guard lock(mutex_);
    owner_ = nullptr;
  }

 private:
  // The time that a part of a message buys: a second for each
  // min_upload_bytes_per_second that came over the connection since the first
  // look at the wait that began at `since`.
  Clock::duration Bought(Clock::time_point since) {
    const CallParts& parts = owner_->parts_.call;
    const int64_t rate = parts.config.service.min_upload_bytes_per_second;
    const int64_t received =
        parts.connections.ReceivedBytes(owner_->record_.peer());
    if (std::exchange(looked_since_, since) != since) received_then_ = received;
    if (rate == 0 || !owner_->expects_data_) return {};
    return std::chrono::seconds((received - received_then_) / rate);
  }

  // Recursive: Cancel may call Done in the same thread.
  std::recursive_mutex mutex_;
  Clock::time_point looked_since_;
  int64_t received_then_ = 0;
  LongCall* owner_;
  LiveCall live_;
};

LongCall::LongCall(const JobCallParts& parts, Method method,
                   grpc::CallbackServerContext* call)
    : parts_(parts),
      record_(parts.call.record, method, call),
      watch_(std::make_shared<Watch>(this, call)) {}

absl::Status LongCall::Enter() {
  const absl::Status begun =
      parts_.call.calls.Begin({.watch = watch_, .peer = record_.peer()}, &id_);
  if (!begun.ok()) return begun;
  const absl::Status entered = record_.Enter(Scope::kJobs);
  if (!entered.ok()) return entered;
  const absl::Status opened = parts_.call.admission.TryOpen(
      *record_.caller(), record_.peer(), &ticket_);
  has_entered_ = opened.ok();
  return opened;
}

void LongCall::ReceiveRequest(RawReactor* reactor, grpc::ByteBuffer* request) {
  parts_.call.small_requests.Enter(
      record_.turn(),
      [this, reactor, request] {
        AwaitPeer();
        reactor->StartRead(request);
      },
      &place_);
}

absl::Status LongCall::CountMessage(int64_t bytes) {
  const int64_t limit = parts_.call.config.service.max_request_message_bytes;
  if (Exceeds(bytes, limit)) {
    return LimitExceeded("max_request_message_bytes", limit, bytes);
  }
  return ticket_.Grow(2 * bytes);
}

absl::Status LongCall::TakeRequest(bool ok, const grpc::ByteBuffer& request) {
  parts_.call.small_requests.Release(&place_);
  return ok ? CountMessage(static_cast<int64_t>(request.Length()))
            : MessageBroken();
}

void LongCall::AwaitPeer() {
  expects_data_ = false;
  waited_ = {};
  idle_since_ = Clock::now();
}

void LongCall::AwaitData(int64_t bytes) {
  expects_data_ = true;
  const int64_t rate = parts_.call.config.service.min_upload_bytes_per_second;
  constexpr Clock::duration kSecond = std::chrono::seconds(1);
  if (rate > 0) {
    waited_ = std::max(waited_ - kSecond * bytes / rate, Clock::duration(0));
  } else if (bytes > 0) {
    waited_ = {};
  }
  idle_since_ = Clock::now() - waited_;
}

// The time that the task waits for a worker does not count for the peer.
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
  watch_->Done();
  if (id_) parts_.call.calls.End(*id_);
}

std::shared_ptr<const Caller> CallerNamed(const JobCallParts& parts,
                                          const std::string& name) {
  std::shared_ptr<const Caller> found = parts.call.record.tokens.FindName(name);
  if (found != nullptr) return found;
  Caller caller;
  caller.name = name;
  return std::make_shared<const Caller>(std::move(caller));
}

std::string JobsOf(const Caller& caller) {
  return caller.May(Scope::kAdmin) ? kAnyCaller : caller.name;
}

namespace {

// Drops the args, which name files, and shortens the message: JobStore::List
// bounds the bytes of a job.
absl::Status WhyItemsWait(const JobCallParts& parts, const JobInfo& job,
                          DataFolder* folder) {
  constexpr size_t kMostText = 200;
  const absl::Status room = CheckOutputRoom(*CallerNamed(parts, job.caller),
                                            parts.call.config.jobs, folder);
  if (!room.ok()) return room;
  const absl::Status why = parts.jobs.WhyItWaits(job);
  if (why.ok()) return why;
  return MakeCallError({.code = why.code(),
                        .reason = CallErrorOf(why).reason,
                        .message = Excerpt(MessageOf(why), kMostText)});
}

}  // namespace

void WriteJobFor(const JobCallParts& parts, const Caller& caller,
                 const JobInfo& job, DataFolder* folder, v1::Job* message) {
  const bool is_live =
      job.state == JobState::kPending || job.state == JobState::kRunning;
  const absl::Status why =
      is_live ? WhyItemsWait(parts, job, folder) : absl::OkStatus();
  WriteJob(job, parts.call.config.jobs, why, message);
  if (caller.May(Scope::kAdmin)) message->set_caller(job.caller);
}

}  // namespace bvhmill::server
