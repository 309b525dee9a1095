#pragma once

// Uploads to a server that waits for a second at most.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {

class UploadTest : public JobServerTest {
 protected:
  // A stream of WriteBlob that has not sent anything.
  void Open() {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() + kTimeout);
    stream_ = stub_->WriteBlob(context_.get(), &response_);
  }
  void StartIdle(const std::function<void(server::ServerConfig*)>& configure) {
    StartJobs([&](server::ServerConfig* config) {
      config->service.idle_seconds = 1;
      configure(config);
    });
    stub_ = v1::BlobService::NewStub(channel_);
  }
  bool Send(const std::string& bytes, bool finish) {
    v1::WriteBlobRequest request;
    request.set_blob(BlobOf("ab"));
    request.set_data(bytes);
    request.set_finish(finish);
    return stream_->Write(request);
  }
  grpc::StatusCode End() {
    stream_->WritesDone();
    return stream_->Finish().error_code();
  }

  std::unique_ptr<v1::BlobService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  v1::WriteBlobResponse response_;
  std::unique_ptr<grpc::ClientWriter<v1::WriteBlobRequest>> stream_;
};

}  // namespace bvhmill::testing
