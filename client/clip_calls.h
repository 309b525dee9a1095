#pragma once

// One clip to a server and back, once: by which call, and what its answer
// means. Private to the client library.

#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/server_service.pb.h"
#include "client/channel.h"
#include "client/client.h"

namespace bvhmill::client {

// Puts what every call on `line` carries into its context.
void Prepare(const Line& line, grpc::ClientContext* context);

// Thread-safe. Results are those that Client promises, but that a call is tried
// once, and UNAVAILABLE comes as gRPC says it.
class ClipCalls {
 public:
  ClipCalls(const Line& line, const v1::Limits& limits)
      : line_(line),
        limits_(limits),
        clips_(v1::ClipService::NewStub(line.channel)) {}

  // `options` without outputs.
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const v1::ConvertOptions& options,
                         const CancelToken* cancel) const;
  // `options` with outputs.
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

  Line line_;
  v1::Limits limits_;
  std::unique_ptr<v1::ClipService::Stub> clips_;
};

}  // namespace bvhmill::client
