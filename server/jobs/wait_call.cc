#include "server/jobs/wait_call.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/v1/job_service.pb.h"
#include "server/jobs/job_messages.h"
#include "server/jobs/new_job.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kWaitWhere[] = "WaitJob";

// Lives as long as gRPC, a task or a watch needs it.
class WaitCall final : public grpc::ServerUnaryReactor,
                       public std::enable_shared_from_this<WaitCall> {
 public:
  WaitCall(const JobCallParts& parts, grpc::CallbackServerContext* call,
           const grpc::ByteBuffer* request, grpc::ByteBuffer* response)
      : call_(parts, Method::kWaitJob, CallKind::kUnary, call),
        request_(*request),
        response_(response) {}

  void Start() {
    self_ = shared_from_this();
    const absl::Status entered = CatchAsStatus(log(), kWaitWhere, [this] {
      return call_.Enter(static_cast<int64_t>(request_.Length()));
    });
    if (!entered.ok()) return End(entered);
    call_.MarkHeard(static_cast<int64_t>(request_.Length()));
    Queue([](WaitCall* self) { return self->Begin(); });
  }

  void OnCancel() override {
    // In this order: Begin sets them in the other one.
    is_cancelled_ = true;
    call_.parts().jobs.Unwatch(watch_);
    End(absl::CancelledError(""));
  }

  void OnDone() override {
    call_.Done(is_cancelled_);
    const std::shared_ptr<WaitCall> self = std::move(self_);
  }

 private:
  const Log& log() const { return call_.parts().call.record.log; }

  // Has a worker do `step`, and ends the call if that fails.
  template <typename Step>
  void Queue(const Step& step) {
    const bool is_queued = call_.Queue([self = shared_from_this(), step] {
      const absl::Status status = CatchAsStatus(
          self->log(), kWaitWhere, [&] { return step(self.get()); });
      if (!status.ok()) self->End(status);
    });
    if (!is_queued) End(OutOfMemory());
  }

  absl::Status Begin() {
    v1::WaitJobRequest message;
    int64_t beside = 0;
    const ServerConfig& config = call_.parts().call.config;
    BVHMILL_RETURN_IF_ERROR(
        ReadMessage(config, {}, &request_, &message, &beside));
    BVHMILL_RETURN_IF_ERROR(ReadJobName(message.name(), &id_));
    auto most = Seconds(config.jobs.max_wait_seconds);
    if (config.jobs.max_wait_seconds == 0) most = std::chrono::hours(24);
    Clock::duration patience = most;
    if (message.has_timeout()) {
      if (message.timeout().seconds() < 0 || message.timeout().nanos() < 0) {
        return InvalidField("timeout", "is negative");
      }
      patience = std::min<Clock::duration>(
          most, Seconds(message.timeout().seconds()) +
                    std::chrono::nanoseconds(message.timeout().nanos()));
    }
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    if (IsOver(job.state) || patience <= Clock::duration::zero()) {
      return Answer(job);
    }
    watch_ = call_.parts().jobs.Watch(
        job.number, Clock::now() + patience, [self = shared_from_this()] {
          self->Queue([](WaitCall* call) { return call->Look(); });
        });
    // The job may have ended before it was watched.
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    if (IsOver(job.state)) {
      call_.parts().jobs.Unwatch(watch_);
      return Answer(job);
    }
    if (is_cancelled_) call_.parts().jobs.Unwatch(watch_);
    return absl::OkStatus();
  }

  absl::Status Look() {
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    return Answer(job);
  }

  absl::Status Find(JobInfo* job) {
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    return folder->jobs().Get(call_.record().caller()->name, id_, job);
  }

  absl::Status Answer(const JobInfo& job) {
    const JobLimits& limits = call_.parts().call.config.jobs;
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    v1::WaitJobResponse response;
    WriteJob(job, limits,
             WhyItemsWait(call_.parts(), *call_.record().caller(), job, folder),
             response.mutable_job());
    if (is_ended_.exchange(true)) return absl::OkStatus();
    ToBytes(response, response_);
    call_.record().Finishing(absl::OkStatus());
    Finish(grpc::Status::OK);
    return absl::OkStatus();
  }

  void End(const absl::Status& status) {
    if (is_ended_.exchange(true)) return;
    call_.record().Finishing(status);
    Finish(ToGrpc(status));
  }

  LongCall call_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer* const response_;
  std::string id_;
  std::atomic<int64_t> watch_{0};
  std::atomic<bool> is_ended_{false};
  std::atomic<bool> is_cancelled_{false};
  std::shared_ptr<WaitCall> self_;
};

}  // namespace

grpc::ServerUnaryReactor* StartWaitCall(const JobCallParts& parts,
                                        grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) {
  std::shared_ptr<WaitCall> wait;
  const absl::Status status =
      CatchAsStatus(parts.call.record.log, kWaitWhere, [&] {
        if (WasCut(parts.call.connections, *call)) {
          return absl::CancelledError("");
        }
        wait = std::make_shared<WaitCall>(parts, call, request, response);
        return absl::OkStatus();
      });
  if (wait == nullptr) {
    grpc::ServerUnaryReactor* const refusal = call->DefaultReactor();
    refusal->Finish(ToGrpc(status));
    return refusal;
  }
  wait->Start();
  return wait.get();
}

}  // namespace bvhmill::server
