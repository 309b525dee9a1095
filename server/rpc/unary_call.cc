#include "server/rpc/unary_call.h"

#include <grpcpp/alarm.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "bvhmill/base/limits.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {

using Clock = std::chrono::steady_clock;

// The part of the call that the registry may use after the call is over.
class RequestCall::Watch final : public CallWatch {
 public:
  Watch(RequestCall* owner, grpc::CallbackServerContext* call)
      : owner_(owner), answer_(call, owner->parts_.answer_timeout) {}

  void Answered() { answer_.Answered(); }

  // The turn has come.
  void Receives() {
    const std::lock_guard lock(mutex_);
    is_receiving_ = true;
    since_ = Clock::now();
    received_then_ = Received();
    owner_->OnExpected(owner_->parts_.budget.largest());
  }

  // True for the first caller after Receives.
  bool StopReceiving() {
    const std::lock_guard lock(mutex_);
    if (is_receiving_) owner_->OnExpected(0);
    return std::exchange(is_receiving_, false);
  }

  void Done() {
    answer_.Done();
    const std::lock_guard lock(mutex_);
    owner_ = nullptr;
  }

  void OnTick(Clock::time_point now) override {
    answer_.OnTick(now);
    const std::lock_guard lock(mutex_);
    if (!is_receiving_) return;
    const std::chrono::seconds timeout = owner_->parts_.request_timeout;
    if (timeout.count() == 0 || now - since_ <= timeout) return Expect(now);
    is_receiving_ = false;
    owner_->OnExpected(0);
    owner_->OnNoRequest(RequestSlow(timeout.count()));
  }

 private:
  int64_t Received() const {
    return owner_->parts_.connections.ReceivedBytes(owner_->peer_);
  }

  // A request that is slow, or never comes, does not hold the place of a large
  // one: it has at most the bytes that came over the connection since its turn,
  // and those for which gRPC opens a window at a time.
  void Expect(Clock::time_point now) {
    constexpr std::chrono::seconds kSlow(2);
    constexpr int64_t kWindow = (int64_t{1} << 20) + (64 << 10);
    const int64_t received = Received();
    if (now - since_ < kSlow || received == 0) return;
    const int64_t bytes = std::min(owner_->parts_.budget.largest(),
                                   received - received_then_ + kWindow);
    owner_->parts_.budget.Arrived(&owner_->place_, bytes);
    owner_->OnExpected(bytes);
  }

  std::mutex mutex_;
  RequestCall* owner_;
  AnswerWatch answer_;
  bool is_receiving_ = false;
  Clock::time_point since_;
  int64_t received_then_ = 0;
};

RequestCall::RequestCall(const Parts& parts, grpc::CallbackServerContext* call)
    : parts_(parts), watch_(std::make_shared<Watch>(this, call)) {}

bool RequestCall::StopReceiving() { return watch_->StopReceiving(); }

absl::Status RequestCall::Begin(const std::string& peer, bool is_aside) {
  peer_ = peer;
  return parts_.calls.Begin(
      {.watch = watch_, .peer = peer, .is_aside = is_aside}, &id_);
}

void RequestCall::Receive(const std::string& caller) {
  parts_.budget.Enter(
      caller,
      [this] {
        watch_->Receives();
        StartRead(&request_);
      },
      &place_);
}

void RequestCall::OnReadDone(bool ok) {
  if (!StopReceiving()) return;
  if (ok) {
    parts_.budget.Arrived(&place_, static_cast<int64_t>(request_.Length()));
    return OnRequest();
  }
  OnNoRequest(cancel_.IsCancelled() ? absl::CancelledError("")
                                    : MessageBroken());
}

void RequestCall::OnCancel() {
  cancel_.Cancel();
  if (parts_.budget.Leave(&place_)) OnNoRequest(absl::CancelledError(""));
}

void RequestCall::Answer(const absl::Status& status) {
  Release();
  watch_->Answered();
  if (!status.ok()) return Finish(ToGrpc(status));
  StartWriteAndFinish(&response_, {}, grpc::Status::OK);
}

void RequestCall::OnDone() {
  watch_->Done();
  if (id_) parts_.calls.End(*id_);
  OnEnded();
}

namespace {

// A call that is not admitted tries again after pauses that double, until it
// has waited for as long as it may.
constexpr std::chrono::milliseconds kFirstPause(10);
constexpr std::chrono::milliseconds kLongestPause(200);
constexpr std::chrono::seconds kLongestWait(1);

class UnaryCall final : public RequestCall {
 public:
  UnaryCall(const CallParts& parts, grpc::CallbackServerContext* call,
            UnaryMethod method)
      : RequestCall({parts.connections, parts.calls, parts.requests,
                     Seconds(parts.config.transport.max_request_seconds),
                     Seconds(parts.config.service.idle_seconds)},
                    call),
        parts_(parts),
        method_(std::move(method)),
        record_(parts.record, method_.method, call) {}

  void Start() {
    const absl::Status status = Guard([this] { return Enter(); });
    if (!status.ok()) return End(status);
    TryToAdmit(Clock::now() + kLongestWait, kFirstPause);
  }

 private:
  template <typename Step>
  absl::Status Guard(const Step& step) {
    return CatchAsStatus(parts_.record.log, "a unary call", step);
  }

  absl::Status Enter() {
    const absl::Status status = Begin(record_.peer(), /*is_aside=*/false);
    return status.ok() ? record_.Enter(method_.scope) : status;
  }

  // A call that finds the server busy waits for its turn until `deadline`, then
  // it is refused. A refusal at once would cost as much as a small conversion:
  // the client has sent the request by then, and would send it again.
  void TryToAdmit(Clock::time_point deadline, std::chrono::milliseconds pause) {
    const absl::Status status = Guard([this] { return Admit(); });
    if (status.ok()) return Receive(record_.turn());
    if (cancel_.IsCancelled() || Clock::now() > deadline) return End(status);
    again_ = std::make_unique<grpc::Alarm>();
    again_->Set(std::chrono::system_clock::now() + pause,
                [this, deadline, next = std::min(2 * pause, kLongestPause)](
                    bool) { TryToAdmit(deadline, next); });
  }

  // A call about jobs counts no clip: a caller whose job uses up its quota of
  // clips can still ask for the job, and cancel it.
  absl::Status Admit() {
    Admission& admission = parts_.admission;
    return method_.scope == Scope::kJobs
               ? admission.TryHold(*record_.caller(), record_.peer(), 0,
                                   &ticket_)
               : admission.TryEnter(*record_.caller(), record_.peer(), 0,
                                    &ticket_);
  }

  // All callers count the bytes that the request may have until it has come.
  void OnExpected(int64_t bytes) override {
    parts_.admission.Expect(bytes - std::exchange(expected_, bytes));
  }

  void OnNoRequest(const absl::Status& status) override { End(status); }

  void OnRequest() override {
    const absl::Status refused = Guard([this] { return CountRequest(); });
    if (!refused.ok()) return End(refused);
    if (method_.task->IsExpensive(&request_)) return Queue(/*reads=*/true);
    bool is_short = false;
    const absl::Status read = Read(&is_short);
    if (!read.ok()) return End(read);
    // A peer with many calls takes turns with others.
    if (is_short && !IsOneOfMany()) return WorkHere();
    Queue(/*reads=*/false);
  }

  absl::Status CountRequest() {
    const auto bytes = static_cast<int64_t>(request_.Length());
    const int64_t limit = parts_.config.service.max_request_message_bytes;
    if (Exceeds(bytes, limit)) {
      return LimitExceeded("max_request_message_bytes", limit, bytes);
    }
    return ticket_.Grow(bytes);
  }

  absl::Status Read(bool* is_short) {
    return Guard(
        [&] { return method_.task->Read(&request_, &ticket_, is_short); });
  }

  // Hands the work, and with `reads` the parsing of the request, to a worker.
  // The call may be over before this returns.
  void Queue(bool reads) {
    const absl::Status queued = Guard([&] {
      FairQueue& queue = parts_.queue;
      const auto task = [this, reads, start = Clock::now()] {
        const auto waited = Clock::now() - start;
        reads ? ReadAndWork(waited) : Work(waited);
      };
      bool is_queued = true;
      if (method_.is_long != nullptr && method_.is_long(request_)) {
        queue.EnqueueLong(record_.turn(), task);
      } else {
        is_queued = queue.Enqueue(record_.turn(), task);
      }
      return is_queued ? absl::OkStatus() : OutOfMemory();
    });
    if (!queued.ok()) End(queued);
  }

  void ReadAndWork(Clock::duration queued) {
    bool is_short = false;
    const absl::Status read =
        cancel_.IsCancelled() ? absl::CancelledError("") : Read(&is_short);
    read.ok() ? Work(queued) : End(read);
  }

  // Does short work in this thread, which also serves other calls. If the work
  // is given up, a worker does it again.
  void WorkHere() {
    bool gives_up = false;
    const absl::Status status = TryWork({}, &gives_up);
    is_again_ = gives_up;
    gives_up ? Queue(/*reads=*/false) : EndWork(status);
  }

  // The request does not wait any more: the next one may come.
  void Work(Clock::duration queued) {
    Release();
    EndWork(TryWork(queued, nullptr));
  }

  absl::Status TryWork(Clock::duration queued, bool* gives_up) {
    return Guard([&]() -> absl::Status {
      // The call was cancelled while it waited for a worker.
      if (cancel_.IsCancelled()) return absl::CancelledError("");
      return method_.task->Work(
          {cancel_, queued, record_, ticket_, gives_up, is_again_}, &response_);
    });
  }

  void EndWork(const absl::Status& status) {
    method_.task = nullptr;
    ticket_.Worked();
    End(status);
  }

  void End(const absl::Status& status) {
    record_.Finishing(status);
    Answer(status);
  }

  void OnEnded() override {
    record_.Done(cancel_.IsCancelled());
    delete this;
  }

  const CallParts parts_;
  UnaryMethod method_;
  CallRecord record_;
  Ticket ticket_;
  // Runs TryToAdmit again.
  std::unique_ptr<grpc::Alarm> again_;
  int64_t expected_ = 0;
  bool is_again_ = false;
};

}  // namespace

RawReactor* StartUnaryCall(const CallParts& parts,
                           grpc::CallbackServerContext* call,
                           UnaryMethod method) {
  UnaryCall* reactor = nullptr;
  const absl::Status status =
      CatchAsStatus(parts.record.log, "a unary call", [&] {
        reactor = new UnaryCall(parts, call, std::move(method));
        return absl::OkStatus();
      });
  if (reactor == nullptr) return new RefusedCall(ToGrpc(status));
  reactor->Start();
  return reactor;
}

}  // namespace bvhmill::server
