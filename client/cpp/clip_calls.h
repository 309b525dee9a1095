#pragma once

// Sends one clip to a server by the call that fits it, checks the answer
// against the protocol, and forwards the outputs to a receiver. No retries;
// Client adds them.
//
//   ClipCalls calls(line, limits, answer_timeout);
//   ConvertResult result =
//       calls.Convert(name, clip, wire::ToProto(options), &receiver, cancel);

#include <google/protobuf/repeated_ptr_field.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/v1/server_service.pb.h"
#include "client/cpp/channel.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// Sends one clip to a server, by a unary call or by a stream, and returns the
// checked answer. Thread-safe. Results are those of Client, except that no call
// is tried again, and that UNAVAILABLE has the message of gRPC.
class ClipCalls {
 public:
  // `answer_timeout` is that of ConnectOptions.
  ClipCalls(const Line& line, const v1::Limits& limits,
            std::chrono::milliseconds answer_timeout)
      : line_(line),
        limits_(limits),
        answer_timeout_(answer_timeout),
        clips_(v1::ClipService::NewStub(line.channel)) {}

  // `options` may have outputs: see Client::Validate.
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const v1::ConvertOptions& options,
                         const CancelToken* cancel) const;
  // `options` must have outputs.
  ConvertResult Convert(std::string_view name, const ClipData& clip,
                        const v1::ConvertOptions& options,
                        OutputReceiver* receiver,
                        const CancelToken* cancel) const;

 private:
  bool FitsUnary(const ClipData& clip, int outputs) const;
  bool FitsMessage(size_t bytes) const;
  size_t ChunkBytes() const;
  ConvertResult Stream(std::string_view name, const ClipData& clip,
                       const v1::ConvertOptions& options,
                       OutputReceiver* receiver,
                       const CancelToken* cancel) const;

  // Prepares the context of a unary call.
  void PrepareUnary(grpc::ClientContext* context) const;
  // The result of a unary call that failed.
  ConvertResult FailureOf(const grpc::Status& status,
                          const grpc::ClientContext& context) const;

  Line line_;
  v1::Limits limits_;
  std::chrono::milliseconds answer_timeout_;
  std::unique_ptr<v1::ClipService::Stub> clips_;
};

// Sets the metadata that every call on `line` sends.
void Prepare(const Line& line, grpc::ClientContext* context);

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
