#include "client/cpp/job_client.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.grpc.pb.h"
#include "client/cpp/call.h"
#include "client/cpp/channel.h"
#include "client/cpp/clip_calls.h"

namespace bvhmill::client {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr milliseconds kFirstPause(100);
constexpr milliseconds kLongestPause(5'000);
constexpr std::string_view kBlobPrefix = "blobs/";

absl::Status CancelledStatus() { return CancelledResult().status; }

// Cancels a stream with blocking calls when the token is cancelled, or when the
// server is silent for longer than `limit`; 0: no limit.
class StreamWatch {
 public:
  StreamWatch(grpc::ClientContext* context, const CancelToken* cancel,
              milliseconds limit)
      : context_(*context), cancel_(cancel), limit_(limit) {
    if (cancel == nullptr && limit.count() <= 0) return;
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  // A message was sent or received.
  void Sign() { last_sign_ = Clock::now(); }

  // The status of the call that ended with `status`.
  absl::Status StatusOf(const absl::Status& status) const {
    return is_silent_ && !status.ok() ? SilentServer(limit_) : status;
  }

 private:
  void Run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      is_silent_ =
          limit_.count() > 0 && Clock::now() - last_sign_.load() > limit_;
      if (is_silent_ || IsCancelled(cancel_)) return context_.TryCancel();
      wake.wait_for(lock, stop, kCancelPoll, [] { return false; });
    }
  }

  grpc::ClientContext& context_;
  const CancelToken* const cancel_;
  const milliseconds limit_;
  std::atomic<Clock::time_point> last_sign_{Clock::now()};
  std::atomic<bool> is_silent_ = false;
  // The last member: it uses the others.
  std::jthread thread_;
};

// True if the same call may succeed later.
bool MayRetry(const absl::Status& status) {
  if (absl::IsUnavailable(status)) {
    return CallErrorOf(status).reason != "DATA_UNUSABLE";
  }
  return (absl::IsResourceExhausted(status) || absl::IsAborted(status)) &&
         !FindArg(CallErrorOf(status), "retry_after_ms").empty();
}

bool PauseFor(milliseconds time, const CancelToken* cancel) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    if (IsCancelled(cancel)) return false;
    std::this_thread::sleep_for(std::min(time, kCancelPoll));
  }
  return !IsCancelled(cancel);
}

}  // namespace

struct JobClient::Impl {
  // Calls `attempt` until it succeeds, fails for good, or busy_timeout has
  // passed without success. An attempt that got further counts as success for
  // that: it sets *progress.
  template <typename Attempt>
  absl::Status Try(const CancelToken* cancel, Attempt attempt) const {
    Clock::time_point give_up = Clock::now() + options.busy_timeout;
    milliseconds pause = kFirstPause;
    while (true) {
      bool progress = false;
      const absl::Status status = attempt(&progress);
      if (IsCancelled(cancel)) return CancelledStatus();
      if (!MayRetry(status)) return status;
      if (progress) {
        give_up = Clock::now() + options.busy_timeout;
        pause = kFirstPause;
      }
      if (Clock::now() + pause > give_up) return Unreachable(status);
      if (!PauseFor(pause, cancel)) return CancelledStatus();
      pause = std::min(2 * pause, kLongestPause);
    }
  }

  absl::Status Unreachable(const absl::Status& status) const {
    const bool is_lost =
        absl::IsUnavailable(status) && CallErrorOf(status).reason.empty();
    if (!is_lost) return status;
    return client::Unreachable(options.server, MessageOf(status));
  }

  // Sets the deadline of a unary call.
  void SetUp(grpc::ClientContext* context, milliseconds more = {}) const {
    Prepare(line, context);
    if (options.answer_timeout.count() <= 0) return;
    context->set_deadline(std::chrono::system_clock::now() +
                          options.answer_timeout + more);
  }

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(const std::string& method,
                                const Request& request,
                                const CancelToken* cancel,
                                milliseconds more = {}) const {
    Response response;
    const absl::Status status = Try(cancel, [&](bool* /*progress*/) {
      grpc::ClientContext context;
      SetUp(&context, more);
      response.Clear();
      return ResultOf(AwaitUnary(line.channel, "/bvhmill.v1." + method,
                                 &context, cancel, request, &response))
          .status;
    });
    if (!status.ok()) return status;
    return response;
  }

  // Sends the bytes after `*at`, which is set to what the server has.
  absl::Status Send(const std::string& name, int64_t size, const Read& read,
                    int64_t* at, std::atomic<int64_t>* sent,
                    const CancelToken* cancel) const;

  ConnectOptions options;
  Line line;
  std::unique_ptr<v1::BlobService::Stub> blobs;
};

absl::Status JobClient::Impl::Send(const std::string& name, int64_t size,
                                   const Read& read, int64_t* at,
                                   std::atomic<int64_t>* sent,
                                   const CancelToken* cancel) const {
  grpc::ClientContext context;
  Prepare(line, &context);
  StreamWatch watch(&context, cancel, options.answer_timeout);
  v1::WriteBlobResponse response;
  const auto stream = blobs->WriteBlob(&context, &response);
  v1::WriteBlobRequest request;
  request.set_blob(name);
  request.set_offset(*at);
  absl::Status fault;
  for (int64_t next = *at;;) {
    // The server may have more bytes than the source: wrong ones.
    if (next < size) fault = read(next, kChunkBytes, request.mutable_data());
    if (!fault.ok()) break;
    next += static_cast<int64_t>(request.data().size());
    if (request.data().empty() && next < size) {
      fault = MakeStatus(absl::StatusCode::kFailedPrecondition,
                         "the file has become shorter");
      break;
    }
    request.set_finish(next >= size);
    // If a write fails, the status of the call has the reason.
    if (!stream->Write(request)) break;
    watch.Sign();
    if (sent != nullptr) *sent = next;
    if (request.finish()) break;
    request.Clear();
  }
  if (!fault.ok()) context.TryCancel();
  stream->WritesDone();
  const absl::Status status = watch.StatusOf(ResultOf(stream->Finish()).status);
  if (!fault.ok()) return fault;
  if (!status.ok()) return status;
  if (!response.finished()) return BrokenAnswer("a blob is not stored");
  return absl::OkStatus();
}

ConvertResult ReadResult(const v1::ClipResult& message) {
  return ResultFromServer(message);
}

absl::Status PageBounds::Take(const std::string& next_token, size_t bytes) {
  constexpr size_t kMaxPages = 10'000;
  constexpr size_t kMaxBytes = size_t{256} << 20;
  bytes_ += bytes;
  if (!next_token.empty() && !tokens_.insert(next_token).second) {
    return BrokenAnswer("a list that comes back to an earlier page");
  }
  if (tokens_.size() > kMaxPages || bytes_ > kMaxBytes) {
    return BrokenAnswer("a list of more than " + std::to_string(kMaxPages) +
                        " pages or " + std::to_string(kMaxBytes) + " bytes");
  }
  return absl::OkStatus();
}

JobClient::JobClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

JobClient::~JobClient() = default;

absl::StatusOr<std::unique_ptr<JobClient>> JobClient::Open(
    const ConnectOptions& options) {
  absl::StatusOr<Line> line = OpenLine(options);
  if (!line.ok()) return line.status();
  auto blobs = v1::BlobService::NewStub(line->channel);
  return std::unique_ptr<JobClient>(new JobClient(std::make_unique<Impl>(
      Impl{options, *std::move(line), std::move(blobs)})));
}

absl::StatusOr<v1::Job> JobClient::Create(const v1::CreateJobRequest& request,
                                          const CancelToken* cancel) const {
  auto response = impl_->Call<v1::CreateJobResponse>("JobService/CreateJob",
                                                     request, cancel);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::StatusOr<v1::Job> JobClient::Get(const std::string& name,
                                       const CancelToken* cancel) const {
  v1::GetJobRequest request;
  request.set_name(name);
  auto response =
      impl_->Call<v1::GetJobResponse>("JobService/GetJob", request, cancel);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::StatusOr<v1::Job> JobClient::Wait(const std::string& name,
                                        milliseconds timeout,
                                        const CancelToken* cancel) const {
  v1::WaitJobRequest request;
  request.set_name(name);
  request.mutable_timeout()->set_seconds(timeout.count() / 1000);
  request.mutable_timeout()->set_nanos(
      static_cast<int32_t>(timeout.count() % 1000) * 1'000'000);
  auto response = impl_->Call<v1::WaitJobResponse>("JobService/WaitJob",
                                                   request, cancel, timeout);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::StatusOr<v1::Job> JobClient::Cancel(const std::string& name,
                                          const CancelToken* cancel) const {
  v1::CancelJobRequest request;
  request.set_name(name);
  auto response = impl_->Call<v1::CancelJobResponse>("JobService/CancelJob",
                                                     request, cancel);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::Status JobClient::Delete(const std::string& name,
                               const CancelToken* cancel) const {
  v1::DeleteJobRequest request;
  request.set_name(name);
  return impl_
      ->Call<v1::DeleteJobResponse>("JobService/DeleteJob", request, cancel)
      .status();
}

absl::StatusOr<v1::ListJobsResponse> JobClient::List(
    const v1::ListJobsRequest& request, const CancelToken* cancel) const {
  return impl_->Call<v1::ListJobsResponse>("JobService/ListJobs", request,
                                           cancel);
}

absl::StatusOr<v1::ListUsageResponse> JobClient::Usage(
    const v1::ListUsageRequest& request, const CancelToken* cancel) const {
  return impl_->Call<v1::ListUsageResponse>("JobService/ListUsage", request,
                                            cancel);
}

absl::StatusOr<v1::ListJobResultsResponse> JobClient::Results(
    const v1::ListJobResultsRequest& request, const CancelToken* cancel) const {
  return impl_->Call<v1::ListJobResultsResponse>("JobService/ListJobResults",
                                                 request, cancel);
}

absl::StatusOr<std::vector<std::string>> JobClient::FindMissing(
    const std::vector<std::string>& blobs, const CancelToken* cancel) const {
  v1::FindMissingBlobsRequest request;
  for (const std::string& blob : blobs) request.add_blobs(blob);
  auto response = impl_->Call<v1::FindMissingBlobsResponse>(
      "BlobService/FindMissingBlobs", request, cancel);
  if (!response.ok()) return response.status();
  return std::vector<std::string>(response->missing().begin(),
                                  response->missing().end());
}

absl::Status JobClient::DeleteBlob(const std::string& name,
                                   const CancelToken* cancel) const {
  v1::DeleteBlobRequest request;
  request.set_blob(name);
  return impl_
      ->Call<v1::DeleteBlobResponse>("BlobService/DeleteBlob", request, cancel)
      .status();
}

// If the server refuses an offset, it states the right one, and the upload
// continues there. If the bytes of an earlier upload were wrong, the server has
// dropped them, and the upload begins again, once.
absl::Status JobClient::Upload(const std::string& name, int64_t size,
                               const Read& read, std::atomic<int64_t>* sent,
                               const CancelToken* cancel) const {
  int64_t at = 0;
  bool is_resumed = false;
  return impl_->Try(cancel, [&](bool* progress) {
    absl::Status status = impl_->Send(name, size, read, &at, sent, cancel);
    const CallError error = CallErrorOf(status);
    if (error.reason == "OFFSET_WRONG") {
      const int64_t committed =
          std::atoll(std::string(FindArg(error, "committed_bytes")).c_str());
      if (committed < 0) return BrokenAnswer("fewer than 0 bytes of a blob");
      *progress = committed > at;
      at = committed;
      is_resumed = true;
      status = impl_->Send(name, size, read, &at, sent, cancel);
    }
    if (CallErrorOf(status).reason != "DIGEST_MISMATCH" || !is_resumed) {
      return status;
    }
    at = 0;
    is_resumed = false;
    return impl_->Send(name, size, read, &at, sent, cancel);
  });
}

absl::Status JobClient::Download(
    const std::string& name, int64_t size,
    const std::function<absl::Status(std::string_view bytes)>& take,
    const CancelToken* cancel) const {
  if (!name.starts_with(kBlobPrefix)) {
    return BrokenAnswer("a blob without a name");
  }
  Sha256 digest;
  int64_t at = 0;
  const absl::Status status = impl_->Try(cancel, [&](bool* progress) {
    grpc::ClientContext context;
    Prepare(impl_->line, &context);
    StreamWatch watch(&context, cancel, impl_->options.answer_timeout);
    v1::ReadBlobRequest request;
    request.set_blob(name);
    request.set_offset(at);
    const auto stream = impl_->blobs->ReadBlob(&context, request);
    v1::ReadBlobResponse response;
    absl::Status taken;
    while (taken.ok() && stream->Read(&response)) {
      // Empty messages, which could come without end, do not count.
      if (response.data().empty()) continue;
      watch.Sign();
      *progress = true;
      at += static_cast<int64_t>(response.data().size());
      digest.Add(response.data());
      taken = at > size
                  ? BrokenAnswer("more than the stated " +
                                 std::to_string(size) + " bytes of an output")
                  : take(response.data());
    }
    if (!taken.ok()) context.TryCancel();
    const absl::Status ended =
        watch.StatusOf(ResultOf(stream->Finish()).status);
    return taken.ok() ? ended : taken;
  });
  if (!status.ok()) return status;
  if (digest.Finish() == name.substr(kBlobPrefix.size())) return status;
  return MakeStatus(absl::StatusCode::kDataLoss,
                    "the server's answer is broken: the bytes of a blob do not "
                    "have its digest");
}

}  // namespace bvhmill::client
