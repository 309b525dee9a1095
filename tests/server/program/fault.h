#pragma once

// A server process that clients misuse, and the checks that it still works.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {

using Response = v1::ConvertClipsResponse;
using Stream = bench::ClipStream;

// The most memory that a server may hold, where a test names no other bound.
// Idle it holds 30 MB.
inline constexpr double kMaxMb = 250;

class FaultTest : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> args = {}) {
    args.insert(args.begin(), {"--listen", "127.0.0.1:0"});
    process_ =
        std::make_unique<bench::ServerProcess>(BVHMILL_BIN "/bvhmilld", args);
    stub_ = Connect();
  }

  // A connection of its own.
  std::unique_ptr<bench::Stub> Connect() const {
    return bench::Connect(process_->address());
  }

  // The server still does its work, and never held too much. A call that finds
  // no room is made again, as clients do.
  void ExpectHealthy(double max_mb = kMaxMb) {
    const auto stub = Connect();
    const v1::ConvertClipRequest request = PositionsRequest(SmallClip(10));
    const auto deadline =
        std::chrono::system_clock::now() + std::chrono::seconds(20);
    grpc::Status status;
    do {
      v1::ConvertClipResponse response;
      grpc::ClientContext context;
      context.set_deadline(deadline);
      status = stub->ConvertClip(&context, request, &response);
    } while (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
             std::chrono::system_clock::now() < deadline);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (BVHMILL_SANITIZED) {
      std::cerr
          << "SKIPPED: what a server with sanitizers holds says nothing\n";
    } else {
      EXPECT_LT(process_->PeakMb(), max_mb);
    }
  }

  std::unique_ptr<bench::ServerProcess> process_;
  std::unique_ptr<bench::Stub> stub_;
};

// Answers that are good results.
inline int GoodResults(Stream* stream) {
  int good = 0;
  Response response;
  while (stream->Read(&response)) {
    good += response.has_result() && response.result().status().code() == 0;
  }
  return good;
}

}  // namespace bvhmill::testing
