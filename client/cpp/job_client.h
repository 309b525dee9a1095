#pragma once

// Durable jobs of a server: submit clips, end the program, fetch the results
// later.
//
//   auto jobs = JobClient::Open({.server = "127.0.0.1:7450"});
//   if (!(*jobs)->Upload(name, size, read, nullptr, nullptr).ok()) return;
//   auto job = (*jobs)->Create(request, nullptr);
//   job = (*jobs)->Wait(job->name(), std::chrono::seconds(30), nullptr);

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/job_service.pb.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// The result of an item. Texts are escaped as those of Client are: names and
// args are as they came.
ConvertResult ReadResult(const v1::ClipResult& message);

// Bounds a list that comes in pages, which a server could extend without end.
class PageBounds {
 public:
  // Call it for each page, with the token of the next one, which is empty after
  // the last, and the bytes that are kept of the page. INTERNAL if the token
  // came before, or if there are more than 10,000 pages or 256 MiB.
  absl::Status Take(const std::string& next_token, size_t bytes);

 private:
  std::set<std::string> tokens_;
  size_t bytes_ = 0;
};

// One server with its jobs. Thread-safe. `cancel` may be null; a call that it
// ends returns CANCELLED.
//
// A call that fails with UNAVAILABLE, e.g. since the server is started again,
// or that the server refuses for now, is tried again until busy_timeout of
// ConnectOptions is over. This is safe: a job with a request_id is made once,
// and an upload continues where it was interrupted.
class JobClient {
 public:
  // Reads the files of `options`; connects when the first call is made.
  // INVALID_ARGUMENT "field: why".
  static absl::StatusOr<std::unique_ptr<JobClient>> Open(
      const ConnectOptions& options);
  ~JobClient();
  JobClient(const JobClient&) = delete;
  JobClient& operator=(const JobClient&) = delete;

  // Each of these makes one call and blocks until it has ended.
  // job_service.proto states the errors: NOT_FOUND for a job that the caller
  // does not have, FAILED_PRECONDITION for a source that the server lacks, and
  // others.
  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request,
                                 const CancelToken* cancel) const;
  absl::StatusOr<v1::Job> Get(const std::string& name,
                              const CancelToken* cancel) const;
  // Returns when the job is over or `timeout` has passed.
  absl::StatusOr<v1::Job> Wait(const std::string& name,
                               std::chrono::milliseconds timeout,
                               const CancelToken* cancel) const;
  absl::StatusOr<v1::Job> Cancel(const std::string& name,
                                 const CancelToken* cancel) const;
  absl::Status Delete(const std::string& name, const CancelToken* cancel) const;
  absl::StatusOr<v1::ListJobsResponse> List(const v1::ListJobsRequest& request,
                                            const CancelToken* cancel) const;
  absl::StatusOr<v1::ListUsageResponse> Usage(
      const v1::ListUsageRequest& request, const CancelToken* cancel) const;
  absl::StatusOr<v1::ListJobResultsResponse> Results(
      const v1::ListJobResultsRequest& request,
      const CancelToken* cancel) const;

  // The blobs, by name, that the server lacks. At most 10,000 at once.
  absl::StatusOr<std::vector<std::string>> FindMissing(
      const std::vector<std::string>& blobs, const CancelToken* cancel) const;

  // Fills `bytes` with up to `size` bytes of the source at `offset`, which is
  // within the source.
  using Read = std::function<absl::Status(int64_t offset, size_t size,
                                          std::string* bytes)>;
  // Stores the blob `name` of `size` bytes. `sent`, which may be null, is set
  // to the number of bytes that the server has.
  absl::Status Upload(const std::string& name, int64_t size, const Read& read,
                      std::atomic<int64_t>* sent,
                      const CancelToken* cancel) const;

  // Deletes a blob, and the bytes of an interrupted upload of it. OK if none
  // exist. FAILED_PRECONDITION while a job names it.
  absl::Status DeleteBlob(const std::string& name,
                          const CancelToken* cancel) const;

  // Passes all bytes of a blob of `size` bytes to `take`, in order, each once.
  // INTERNAL if the server sends more, which `take` does not receive. DATA_LOSS
  // if the digest of the bytes is not that of the name: the bytes are then
  // void. A status of `take` ends the call and is returned.
  absl::Status Download(
      const std::string& name, int64_t size,
      const std::function<absl::Status(std::string_view bytes)>& take,
      const CancelToken* cancel) const;

 private:
  struct Impl;
  explicit JobClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill::client
