#include "server/jobs/job_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/wire/status.h"
#include "server/jobs/job_messages.h"
#include "server/jobs/jobs.h"
#include "server/jobs/new_job.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kWaitWhere[] = "WaitJob";

// WaitJob. gRPC, tasks of workers and the watch share the ownership of the
// call; `self_` is the share of gRPC.
class WaitCall final : public RawReactor,
                       public std::enable_shared_from_this<WaitCall> {
 public:
  WaitCall(const JobCallParts& parts, grpc::CallbackServerContext* call)
      : call_(parts, Method::kWaitJob, call) {}

  void Start() {
    self_ = shared_from_this();
    const absl::Status entered =
        CatchAsStatus(log(), kWaitWhere, [this] { return call_.Enter(); });
    entered.ok() ? call_.ReceiveRequest(this, &request_) : End(entered);
  }

  void OnReadDone(bool ok) override {
    const absl::Status taken = call_.TakeRequest(ok, request_);
    if (!taken.ok()) return End(taken);
    Queue([](WaitCall* self) { return self->Begin(); });
  }

  void OnCancel() override {
    // This order matters: Begin sets `watch_` first and then reads
    // `is_cancelled_`, so one of the two ends the watch.
    is_cancelled_ = true;
    call_.LeaveRequests();
    call_.parts().jobs.Unwatch(watch_);
    End(absl::CancelledError(""));
  }

  void OnDone() override {
    call_.Done(is_cancelled_);
    const std::shared_ptr<WaitCall> self = std::move(self_);
  }

 private:
  const Log& log() const { return call_.parts().call.record.log; }

  // Has a worker run `step`, and ends the call if that fails.
  template <typename Step>
  void Queue(const Step& step) {
    const bool is_queued = call_.Queue([self = shared_from_this(), step] {
      const absl::Status status = CatchAsStatus(
          self->log(), kWaitWhere, [&] { return step(self.get()); });
      if (!status.ok()) self->End(status);
    });
    if (!is_queued) End(OutOfMemory());
  }

  // Answers at once if the job is over or the timeout is 0; else watches the
  // job.
  absl::Status Begin() {
    v1::WaitJobRequest message;
    int64_t beside = 0;
    const ServerConfig& config = call_.parts().call.config;
    BVHMILL_RETURN_IF_ERROR(
        ReadMessage(config, {}, &request_, &message, &beside));
    BVHMILL_RETURN_IF_ERROR(ReadJobName(message.name(), &id_));
    auto most = Seconds(config.jobs.max_wait_seconds);
    if (config.jobs.max_wait_seconds == 0) most = std::chrono::hours(24);
    Clock::duration timeout = most;
    if (message.has_timeout()) {
      if (message.timeout().seconds() < 0 || message.timeout().nanos() < 0) {
        return InvalidField("timeout", "is negative");
      }
      timeout = std::min<Clock::duration>(
          most, Seconds(message.timeout().seconds()) +
                    std::chrono::nanoseconds(message.timeout().nanos()));
    }
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    if (IsOver(job.state) || timeout <= Clock::duration::zero()) {
      return Answer(job);
    }
    watch_ = call_.parts().jobs.Watch(
        job.number, Clock::now() + timeout, [self = shared_from_this()] {
          self->Queue([](WaitCall* call) { return call->Look(); });
        });
    // The job may have ended before the watch began.
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    if (IsOver(job.state)) {
      call_.parts().jobs.Unwatch(watch_);
      return Answer(job);
    }
    if (is_cancelled_) call_.parts().jobs.Unwatch(watch_);
    return absl::OkStatus();
  }

  // Answers when the watch has ended.
  absl::Status Look() {
    JobInfo job;
    BVHMILL_RETURN_IF_ERROR(Find(&job));
    return Answer(job);
  }

  absl::Status Find(JobInfo* job) {
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    return folder->jobs().Get(JobsOf(*call_.record().caller()), id_, job);
  }

  absl::Status Answer(const JobInfo& job) {
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    v1::WaitJobResponse response;
    WriteJobFor(call_.parts(), *call_.record().caller(), job, folder,
                response.mutable_job());
    if (is_ended_.exchange(true)) return absl::OkStatus();
    ToBytes(response, &response_);
    call_.record().Finishing(absl::OkStatus());
    StartWriteAndFinish(&response_, {}, grpc::Status::OK);
    return absl::OkStatus();
  }

  void End(const absl::Status& status) {
    if (is_ended_.exchange(true)) return;
    call_.record().Finishing(status);
    Finish(ToGrpc(status));
  }

  LongCall call_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::string id_;
  std::atomic<int64_t> watch_{0};
  std::atomic<bool> is_ended_{false};
  std::atomic<bool> is_cancelled_{false};
  std::shared_ptr<WaitCall> self_;
};

// Begins the call. The reactor deletes itself when the call is done.
RawReactor* StartWaitCall(const JobCallParts& parts,
                          grpc::CallbackServerContext* call) {
  std::shared_ptr<WaitCall> wait;
  const absl::Status status =
      CatchAsStatus(parts.call.record.log, kWaitWhere, [&] {
        wait = std::make_shared<WaitCall>(parts, call);
        return absl::OkStatus();
      });
  if (wait == nullptr) return new RefusedCall(ToGrpc(status));
  wait->Start();
  return wait.get();
}

// The field `items` of CreateJobRequest.
constexpr TextField kItemTexts[] = {{{3, 0, 0}}};

// Estimates the bytes of memory of a parsed CreateJobRequest: a part for each
// item, and a part for each byte, since lists of options expand.
int64_t ChargeOfCreate(grpc::ByteBuffer* bytes) {
  constexpr int64_t kPerItem = 512;
  constexpr int64_t kPerByte = 24;
  constexpr int kItems = 3;
  using google::protobuf::internal::WireFormatLite;
  const auto size = static_cast<int64_t>(bytes->Length());
  grpc::ProtoBufferReader reader(bytes);
  if (!reader.status().ok()) return 0;
  google::protobuf::io::CodedInputStream in(&reader);
  int64_t items = 0;
  while (const uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) == kItems) ++items;
    if (!WireFormatLite::SkipField(&in, tag)) break;
  }
  return kPerItem * items + kPerByte * size;
}

absl::Status Create(const JobCallParts& parts, const UnaryWork& call,
                    const v1::CreateJobRequest& request,
                    v1::CreateJobResponse* response) {
  NewJob job;
  std::vector<std::string> blobs;
  BVHMILL_RETURN_IF_ERROR(
      ReadNewJob(parts.call.config, request, call.cancel, &job, &blobs));
  const Caller& caller = *call.record.caller();
  job.caller = caller.name;
  const JobLimits& limits = parts.call.config.jobs;
  const JobLimits own = LimitsOf(caller, limits);
  job.max_queued_items = own.max_queued_items;
  job.max_jobs = own.max_jobs_per_caller;
  job.max_own_items = own.max_queued_items_per_caller;
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  // A caller that has disconnected would not learn of the job.
  if (call.cancel.IsCancelled()) return absl::CancelledError("");
  JobInfo info;
  bool is_new = false;
  BVHMILL_RETURN_IF_ERROR(
      MakeJob(own, std::move(job), blobs, folder, &info, &is_new));
  if (is_new) parts.jobs.Wake();
  WriteJobFor(parts, caller, info, folder, response->mutable_job());
  return absl::OkStatus();
}

// The folder, the callers and the id of a call about one job.
struct OneJob {
  DataFolder* folder = nullptr;
  std::string caller;
  std::string id;
};

absl::Status FindOneJob(const JobCallParts& parts, const UnaryWork& call,
                        const std::string& name, OneJob* job) {
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&job->folder));
  job->caller = JobsOf(*call.record.caller());
  return ReadJobName(name, &job->id);
}

absl::Status Get(const JobCallParts& parts, const UnaryWork& call,
                 const v1::GetJobRequest& request,
                 v1::GetJobResponse* response) {
  OneJob job;
  JobInfo info;
  BVHMILL_RETURN_IF_ERROR(FindOneJob(parts, call, request.name(), &job));
  BVHMILL_RETURN_IF_ERROR(job.folder->jobs().Get(job.caller, job.id, &info));
  WriteJobFor(parts, *call.record.caller(), info, job.folder,
              response->mutable_job());
  v1::Job& message = *response->mutable_job();
  if (!message.mutable_options()->ParseFromString(info.options)) {
    message.clear_options();
    *message.mutable_error() = wire::ToProto(JobDamaged("options"));
  }
  return absl::OkStatus();
}

// The most bytes of the jobs or results of one response. A sixteenth of the
// limit is left for the fields around them.
int64_t BytesOfPage(const ServerConfig& config) {
  constexpr int64_t kNoLimit = int64_t{1} << 30;
  const int64_t limit = config.service.max_unary_response_bytes;
  return limit == 0 ? kNoLimit : limit - limit / 16;
}

// Sets `caller` to that of the call, or to kAnyCaller if the request wants all.
absl::Status ReadAllCallers(const UnaryWork& call, Method method,
                            bool wants_all, std::string* caller) {
  const Caller& own = *call.record.caller();
  *caller = wants_all ? kAnyCaller : own.name;
  return wants_all && !own.May(Scope::kAdmin)
             ? ScopeMissing(own.name, NameOf(method), Scope::kAdmin)
             : absl::OkStatus();
}

absl::Status List(const JobCallParts& parts, const UnaryWork& call,
                  const v1::ListJobsRequest& request,
                  v1::ListJobsResponse* response) {
  DataFolder* folder = nullptr;
  JobPage page;
  BVHMILL_RETURN_IF_ERROR(ReadPageSize(request.page_size(), &page.limit));
  BVHMILL_RETURN_IF_ERROR(ReadPageToken(request.page_token(), 1, &page.before));
  for (const int state : request.states()) {
    if (v1::JobState_IsValid(state) && state > 0) {
      page.states.push_back(static_cast<JobState>(state));
    } else {
      return InvalidField("states", "has a state that does not exist");
    }
  }
  BVHMILL_RETURN_IF_ERROR(ReadAllCallers(call, Method::kListJobs,
                                         request.all_callers(), &page.caller));
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  page.max_bytes = BytesOfPage(parts.call.config);
  std::vector<JobInfo> jobs;
  bool has_more = false;
  BVHMILL_RETURN_IF_ERROR(folder->jobs().List(page, &jobs, &has_more));
  for (const JobInfo& job : jobs) {
    WriteJobFor(parts, *call.record.caller(), job, folder,
                response->add_jobs());
  }
  if (has_more) {
    response->set_next_page_token(std::to_string(jobs.back().number));
  }
  return call.ticket.Grow(2 * static_cast<int64_t>(response->ByteSizeLong()));
}

absl::Status ListResults(const JobCallParts& parts, const UnaryWork& call,
                         const v1::ListJobResultsRequest& request,
                         v1::ListJobResultsResponse* response) {
  OneJob job;
  ResultPage page;
  BVHMILL_RETURN_IF_ERROR(ReadPageSize(request.page_size(), &page.limit));
  BVHMILL_RETURN_IF_ERROR(ReadPageToken(request.page_token(), -1, &page.after));
  BVHMILL_RETURN_IF_ERROR(FindOneJob(parts, call, request.name(), &job));
  page.failed_only = request.failed_only();
  page.max_bytes = BytesOfPage(parts.call.config);
  std::vector<StoredResult> results;
  BVHMILL_RETURN_IF_ERROR(
      job.folder->jobs().Results(job.caller, job.id, page, &results));
  int64_t bytes = 0;
  for (const StoredResult& result : results) {
    bytes += static_cast<int64_t>(result.bytes.size());
    if (!response->add_results()->ParseFromString(result.bytes)) {
      return JobDamaged("result of item " + std::to_string(result.item));
    }
    page.after = result.item;
  }
  // A result larger than a response would block the results after it.
  if (results.size() == 1 && bytes > page.max_bytes) {
    LeaveOutLargeParts(response->mutable_results(0));
  }
  if (!results.empty()) {
    response->set_next_page_token(std::to_string(page.after));
  }
  return call.ticket.Grow(2 * bytes);
}

absl::Status Cancel(const JobCallParts& parts, const UnaryWork& call,
                    const v1::CancelJobRequest& request,
                    v1::CancelJobResponse* response) {
  OneJob job;
  JobInfo info;
  BVHMILL_RETURN_IF_ERROR(FindOneJob(parts, call, request.name(), &job));
  BVHMILL_RETURN_IF_ERROR(job.folder->WithReserve([&] {
    return job.folder->jobs().Cancel(job.caller, job.id, WallClockMs(), &info);
  }));
  parts.jobs.Cancel(info.number, IsOver(info.state));
  WriteJobFor(parts, *call.record.caller(), info, job.folder,
              response->mutable_job());
  return absl::OkStatus();
}

absl::Status Delete(const JobCallParts& parts, const UnaryWork& call,
                    const v1::DeleteJobRequest& request,
                    v1::DeleteJobResponse* /*response*/) {
  OneJob job;
  BVHMILL_RETURN_IF_ERROR(FindOneJob(parts, call, request.name(), &job));
  return job.folder->WithReserve(
      [&] { return job.folder->jobs().Delete(job.caller, job.id); });
}

void WriteUsage(const JobCallParts& parts, const CallerUsage& used,
                DataFolder* folder, v1::Usage* usage) {
  const JobLimits limits =
      LimitsOf(*CallerNamed(parts, used.caller), parts.call.config.jobs);
  usage->set_caller(used.caller);
  usage->set_jobs(used.jobs);
  usage->set_max_jobs(limits.max_jobs_per_caller);
  usage->set_queued_items(used.waiting + used.leased);
  usage->set_running_items(used.leased);
  usage->set_max_queued_items(limits.max_queued_items_per_caller);
  usage->set_data_bytes(folder->blobs().BytesIn(SpaceOf(used.caller)));
  usage->set_max_data_bytes(limits.max_data_bytes_per_caller);
}

absl::Status ListUsage(const JobCallParts& parts, const UnaryWork& call,
                       const v1::ListUsageRequest& request,
                       v1::ListUsageResponse* response) {
  std::string caller;
  BVHMILL_RETURN_IF_ERROR(
      ReadAllCallers(call, Method::kListUsage, request.all_callers(), &caller));
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  std::vector<CallerUsage> usages;
  BVHMILL_RETURN_IF_ERROR(folder->jobs().Usage(caller, &usages));
  std::map<std::string, CallerUsage> by_name;
  std::set<std::string> names = parts.call.record.tokens.Names();
  if (!request.all_callers()) names = {caller};
  for (const std::string& name : names) by_name[name].caller = name;
  for (const CallerUsage& usage : usages) by_name[usage.caller] = usage;
  for (const auto& [name, usage] : by_name) {
    WriteUsage(parts, usage, folder, response->add_usages());
  }
  return call.ticket.Grow(2 * static_cast<int64_t>(response->ByteSizeLong()));
}

// True if the check of the options of all items may take seconds.
bool IsLongCreate(const grpc::ByteBuffer& request) {
  constexpr size_t kShortBytes = size_t{256} << 10;
  if (request.Length() > kShortBytes) return true;
  // The copy shares the bytes. A short compressed request may expand to a long
  // one.
  grpc::ByteBuffer bytes = request;
  return IsExpensive(kItemTexts, &bytes);
}

}  // namespace

JobService::JobService(const JobCallParts& parts) : parts_(parts) {
  Add("/bvhmill.v1.JobService/CreateJob", [this](auto* call) {
    return ServeMessage(parts_, Method::kCreateJob, call, &Create, kItemTexts,
                        &ChargeOfCreate, &IsLongCreate);
  });
  Add("/bvhmill.v1.JobService/GetJob", [this](auto* call) {
    return ServeMessage(parts_, Method::kGetJob, call, &Get);
  });
  Add("/bvhmill.v1.JobService/ListJobs", [this](auto* call) {
    return ServeMessage(parts_, Method::kListJobs, call, &List);
  });
  Add("/bvhmill.v1.JobService/ListJobResults", [this](auto* call) {
    return ServeMessage(parts_, Method::kListJobResults, call, &ListResults);
  });
  Add("/bvhmill.v1.JobService/WaitJob",
      [this](auto* call) { return StartWaitCall(parts_, call); });
  Add("/bvhmill.v1.JobService/CancelJob", [this](auto* call) {
    return ServeMessage(parts_, Method::kCancelJob, call, &Cancel);
  });
  Add("/bvhmill.v1.JobService/DeleteJob", [this](auto* call) {
    return ServeMessage(parts_, Method::kDeleteJob, call, &Delete);
  });
  Add("/bvhmill.v1.JobService/ListUsage", [this](auto* call) {
    return ServeMessage(parts_, Method::kListUsage, call, &ListUsage);
  });
}

}  // namespace bvhmill::server
