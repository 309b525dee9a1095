#pragma once

// Sends one clip to a server by the call that fits it, and reads the answer. No
// retries. Private to the client library.

#include <grpcpp/client_context.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/server_service.pb.h"
#include "client/cpp/channel.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// Sets the metadata that every call on `line` sends.
void Prepare(const Line& line, grpc::ClientContext* context);

// Thread-safe. Results are those that Client promises, except that no call is
// tried again, and that UNAVAILABLE has the message of gRPC.
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

}  // namespace bvhmill::client
