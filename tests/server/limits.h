#pragma once

// Shared parts of the tests of limits.

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/fixture.h"

namespace bvhmill::testing {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stub = v1::ClipService::Stub;
using Stream = grpc::ClientReaderWriter<Request, Response>;
using Results = std::map<std::string, v1::ClipResult>;
using grpc::StatusCode;

inline void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + kTimeout);
}

// A clip within every limit that the tests set.
inline std::string TinyClip() {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
         "Frames: 1\nFrame Time: 0.1\n1\n";
}

inline std::string ValueOf(const v1::ErrorInfo& info, const char* name) {
  const auto at = info.metadata().find(name);
  return at == info.metadata().end() ? "none" : at->second;
}

// Why a limit refused a call, or a clip of a stream. The quota of a call must
// name the same limit.
inline v1::ErrorInfo RefusalOf(const grpc::Status& status) {
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.quota.violations_size(), 1);
  if (details.quota.violations_size() != 1) return details.info;
  EXPECT_EQ(details.quota.violations(0).subject(),
            ValueOf(details.info, "limit_name"));
  return details.info;
}

inline v1::ErrorInfo RefusalOf(const v1::ClipResult& result) {
  EXPECT_EQ(result.status().code(), StatusCode::RESOURCE_EXHAUSTED);
  return result.status().info();
}

inline Request Whole(const std::string& key,
                     const v1::ConvertClipRequest& clip) {
  Request request;
  request.mutable_begin()->set_key(key);
  *request.mutable_begin()->mutable_source() = clip.source();
  *request.mutable_begin()->mutable_options() = clip.options();
  request.mutable_begin()->set_complete(true);
  return request;
}

// The same in pieces of a few bytes.
inline std::vector<Request> InPieces(const std::string& key,
                                     const v1::ConvertClipRequest& clip) {
  std::vector<Request> requests = {Whole(key, clip)};
  requests[0].mutable_begin()->clear_source();
  requests[0].mutable_begin()->set_complete(false);
  constexpr size_t kPiece = 16;
  const std::string& text = clip.source().data();
  for (size_t at = 0; at < text.size(); at += kPiece) {
    requests.emplace_back().set_chunk(text.substr(at, kPiece));
  }
  requests.emplace_back().mutable_end();
  return requests;
}

class LimitsTest : public ServerTest {
 protected:
  void StartWith(const std::function<void(server::ServerConfig*)>& configure) {
    Start([&](server::ServerConfig* config) {
      config->log = server::LogFormat::kOff;
      configure(config);
    });
  }

  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    SetDeadline(&context);
    return clips_->ConvertClip(&context, request, &converted_);
  }

  grpc::Status Validate(const v1::ConvertClipRequest& clip) {
    grpc::ClientContext context;
    SetDeadline(&context);
    v1::ValidateClipRequest request;
    *request.mutable_source() = clip.source();
    *request.mutable_options() = clip.options();
    return clips_->ValidateClip(&context, request, &validated_);
  }

  // The results of a stream of a few small clips, by key.
  grpc::Status Run(const std::vector<Request>& requests, Results* results) {
    grpc::ClientContext context;
    SetDeadline(&context);
    const auto stream = clips_->ConvertClips(&context);
    for (const Request& request : requests) stream->Write(request);
    stream->WritesDone();
    Response response;
    while (stream->Read(&response)) {
      if (!response.has_result()) continue;
      const bool is_new =
          results->emplace(response.result().key(), response.result()).second;
      EXPECT_TRUE(is_new) << response.result().key();
    }
    return stream->Finish();
  }

  v1::ConvertClipResponse converted_;
  v1::ValidateClipResponse validated_;
};

}  // namespace bvhmill::testing
