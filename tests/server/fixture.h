#pragma once

// A real server on a real socket, and helpers that call it.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "bvhmill/v1/server_service.grpc.pb.h"
#include "server/app/server.h"
#include "tests/support/eventually.h"

namespace bvhmill::testing {

// A small clip that is valid, with `frames` frames. Rotations differ from axis
// to axis, joint to joint and frame to frame.
std::string SmallClip(int frames = 2);

// Limits the memory in flight of all connections together, but not of one.
inline void LimitBytes(server::ServerConfig* config, int64_t bytes) {
  config->admission.max_inflight_bytes = bytes;
  config->admission.max_inflight_bytes_per_connection = int64_t{1} << 50;
}

class ServerTest : public ::testing::Test {
 protected:
  // Starts a server on a free port, after `configure`, and connects.
  void Start(const std::function<void(server::ServerConfig*)>& configure = {});

  // Over a connection of its own, which takes messages of any size.
  std::shared_ptr<grpc::Channel> OwnChannel() const;
  std::unique_ptr<v1::ClipService::Stub> Connect() const {
    return v1::ClipService::NewStub(OwnChannel());
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ClipService::Stub> clips_;
  std::unique_ptr<v1::ServerService::Stub> info_;
  std::unique_ptr<server::Server> server_;
};

// A request for positions of `text`.
v1::ConvertClipRequest PositionsRequest(const std::string& text);

// Converts `text` with `options` by the library; outputs by index.
std::vector<std::string> LocalOutputs(const std::string& text,
                                      const v1::ConvertOptions& options);

// The details of a failed call.
struct Details {
  v1::ErrorInfo info;
  v1::QuotaFailure quota;
  v1::BadRequest bad_request;
  // 0 s if there is none.
  v1::RetryInfo retry;
  v1::ResourceInfo resource;
};
Details DetailsOf(const grpc::Status& status);
Details DetailsOf(const absl::Status& status);

// The outcome of a clip in the form of a result: the error of its call `status`
// or, if the call is OK, the status of its `result`.
v1::Status OutcomeOf(const grpc::Status& status, const v1::ClipResult& result);

// A socket that is connected to the port of `address` on this machine; -1 if it
// could not be had.
// The connection comes from the loopback address `from`, if that is not empty.
int DialLoopback(const std::string& address, const std::string& from = "");

// The answer of a server of HTTP/1.0 to GET /metrics; less if it takes more
// than 30 s.
std::string FetchMetrics(const std::string& address);
// A gauge or counter without labels on that page; -1 if it is not there, which
// fails the test.
int64_t FetchGauge(const std::string& address, const std::string& name);

// The bytes that a method answers to the bytes of a request; for services
// whose messages are not compiled in.
std::string CallRaw(grpc::Channel* channel, const std::string& method,
                    const std::string& request);

}  // namespace bvhmill::testing
