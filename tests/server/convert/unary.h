#pragma once

// Unary calls for clips at a server, and their responses.

#include <grpcpp/grpcpp.h>

#include <string>

#include "tests/server/fixture.h"

namespace bvhmill::testing {

class UnaryTest : public ServerTest {
 protected:
  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    return clips_->ConvertClip(&context, request, &converted_);
  }

  grpc::Status Validate(const std::string& text) {
    grpc::ClientContext context;
    v1::ValidateClipRequest request;
    request.mutable_source()->set_data(text);
    return clips_->ValidateClip(&context, request, &validated_);
  }

  v1::ConvertClipResponse converted_;
  v1::ValidateClipResponse validated_;
};

}  // namespace bvhmill::testing
