#pragma once

// Checks the answer of a server for one clip and forwards it to the caller.
// Private to the client library.

#include <google/protobuf/repeated_ptr_field.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::client {

// Collects one answer: Begin, Data, End, in the order of the protocol. A
// violation of the protocol is INTERNAL. An error of the receiver is returned.
class Answer {
 public:
  // `outputs` are those of the request. `receiver` may be null if there are
  // none. More than `max_output_bytes` of data are an error; 0: no limit.
  Answer(const google::protobuf::RepeatedPtrField<v1::OutputRequest>& outputs,
         int64_t max_output_bytes, OutputReceiver* receiver);

  absl::Status Begin(
      const v1::ClipInfo& info,
      const google::protobuf::RepeatedPtrField<v1::Output>& outputs);
  absl::Status Data(int output, int64_t offset, std::string_view bytes);
  absl::Status End(const v1::ClipResult& result);

  bool ended() const { return ended_; }
  // Call once, when ended.
  ConvertResult TakeResult() { return std::move(result_); }

 private:
  // OK if the answer has the requested outputs, in their order.
  absl::Status CheckOutputs(std::span<const OutputInfo> outputs) const;
  absl::Status CheckSizes() const;

  // Ids of the requested outputs.
  std::vector<std::string> ids_;
  int64_t max_output_bytes_;
  OutputReceiver* receiver_;
  bool begun_ = false;
  bool ended_ = false;
  // Bytes of each output so far, and of all of them.
  std::vector<int64_t> received_;
  int64_t received_in_all_ = 0;
  ConvertResult result_;
};

// The result of a server. Bytes that are not printable are escaped in the
// status, in the codes and messages of issues, and in channels. Names and args
// are as they came.
ConvertResult ResultFromServer(const v1::ClipResult& message);

// The same for issues that come before the result.
std::vector<Issue> IssuesFromServer(
    const google::protobuf::RepeatedPtrField<v1::Issue>& messages);

// Results for calls that ended without one.
ConvertResult FailedResult(const absl::Status& status);
ConvertResult CancelledResult();
// The result for a call that failed with `status`, with the CallError of its
// details.
ConvertResult ResultOf(const grpc::Status& status);
// The time after which the client should send a refused clip again, at most a
// minute; 0 if the server does not ask for that.
std::chrono::milliseconds RetryDelayOf(const ConvertResult& result);
// INTERNAL: the server has broken the protocol.
absl::Status BrokenAnswer(std::string_view what);
// DEADLINE_EXCEEDED: the server was silent for that long.
absl::Status SilentServer(std::chrono::milliseconds time);

}  // namespace bvhmill::client
