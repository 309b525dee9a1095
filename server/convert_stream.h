#pragma once

// The stream ConvertClips: any number of clips of any size.

#include <grpcpp/support/server_callback.h>

#include "bvhmill/v1/clip_service.pb.h"
#include "server/service_context.h"

namespace bvhmill::server {

// Starts a stream; gRPC and the workers own it from here.
grpc::ServerBidiReactor<v1::ConvertClipsRequest, v1::ConvertClipsResponse>*
StartConvertStream(ServiceContext* context, grpc::CallbackServerContext* call);

}  // namespace bvhmill::server
