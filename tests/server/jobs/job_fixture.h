#pragma once

// A server with a data folder, and calls about jobs and blobs.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.grpc.pb.h"
#include "bvhmill/v1/job_service.grpc.pb.h"
#include "server/store/fault_points.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {

inline std::string BlobOf(const std::string& bytes) {
  return "blobs/" + Sha256Of(bytes);
}

// Calls over one channel, with a token if it is not empty.
class JobCalls {
 public:
  explicit JobCalls(std::shared_ptr<grpc::Channel> channel,
                    std::string token = "")
      : jobs_(v1::JobService::NewStub(channel)),
        blobs_(v1::BlobService::NewStub(channel)),
        token_(std::move(token)) {}

  // Stores `bytes` from `offset` on; `finish` = false leaves the upload open.
  grpc::Status Write(const std::string& blob, const std::string& bytes,
                     int64_t offset, bool finish,
                     v1::WriteBlobResponse* response);
  // Stores a blob; fails the test if that fails.
  std::string Store(const std::string& bytes);
  grpc::Status Read(const std::string& blob, int64_t offset, int64_t limit,
                    std::string* bytes);
  grpc::Status DeleteBlob(const std::string& blob);
  std::vector<std::string> Missing(const std::vector<std::string>& blobs);

  grpc::Status Create(const v1::CreateJobRequest& request, v1::Job* job);
  grpc::Status Get(const std::string& name, v1::Job* job);
  // Waits until the job is over; a minute at most.
  v1::Job Await(const std::string& name);
  // All results by key, read in pages; a key that comes twice fails the test.
  std::map<std::string, v1::ClipResult> Results(const std::string& name,
                                                int page_size = 7);
  grpc::Status Cancel(const std::string& name, v1::Job* job);
  grpc::Status Delete(const std::string& name);
  std::vector<std::string> List(int page_size = 2);

  v1::JobService::Stub* jobs() { return jobs_.get(); }
  std::unique_ptr<grpc::ClientContext> Context() const;

 private:
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::BlobService::Stub> blobs_;
  const std::string token_;
};

// A request for positions of the blobs of `clips`, with the keys "0", "1", ...
v1::CreateJobRequest JobOfClips(const std::vector<std::string>& clips);

// Clips that all differ.
std::vector<std::string> SomeClips(int count);

class JobServerTest : public ServerTest {
 protected:
  JobServerTest() { std::filesystem::remove_all(folder_); }
  ~JobServerTest() override {
    server_ = nullptr;
    server::FaultPoints::Disarm();
    std::filesystem::remove_all(folder_);
  }

  void StartJobs(
      const std::function<void(server::ServerConfig*)>& configure = {});

  const std::string folder_ =
      ::testing::TempDir() + "job-server-" + std::to_string(getpid());
  std::unique_ptr<JobCalls> calls_;
};

}  // namespace bvhmill::testing
