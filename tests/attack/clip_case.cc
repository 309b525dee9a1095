#include "tests/attack/clip_case.h"

#include <grpcpp/grpcpp.h>

#include <chrono>

#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

// Callers of one case, each over a connection of its own.
constexpr int kCallers = 4;

void Run(const ClipCase& clip, Target* target) {
  const v1::ConvertClipRequest request = clip.make();
  Repeat(kCallers, target, [&](int) {
    const auto stub = target->Connect();
    while (!target->stopped()) {
      target->Call([&](grpc::ClientContext* context) {
        SendCase(clip, request, stub.get(), context);
      });
      target->AddSent(request.ByteSizeLong());
      // Calls that a server refuses at once must not become a flood.
      target->Sleep(10);
    }
  });
}

}  // namespace

void SendCase(const ClipCase& clip, const v1::ConvertClipRequest& request,
              v1::ClipService::Stub* stub, grpc::ClientContext* context) {
  if (clip.is_packed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
  if (clip.cancel_ms > 0) {
    context->set_deadline(std::chrono::system_clock::now() +
                          std::chrono::milliseconds(clip.cancel_ms));
  }
  if (clip.route == Route::kStream) {
    return ConvertOverStream(request, stub, context);
  }
  if (clip.route == Route::kConvert) {
    v1::ConvertClipResponse response;
    stub->ConvertClip(context, request, &response);
    return;
  }
  v1::ValidateClipRequest validation;
  *validation.mutable_source() = request.source();
  *validation.mutable_options() = request.options();
  v1::ValidateClipResponse response;
  stub->ValidateClip(context, validation, &response);
}

Attack ToAttack(const ClipCase& clip) {
  return {.name = clip.name,
          .about = clip.about,
          .run = [clip](Target* target) { Run(clip, target); }};
}

v1::ConvertClipRequest ZstdRequest(const std::string& text) {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(Zstd(text));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_ZSTD);
  return request;
}

v1::OutputRequest* AddOutput(v1::ConvertClipRequest* request) {
  v1::ConvertOptions* options = request->mutable_options();
  v1::OutputRequest* output = options->add_outputs();
  output->set_id(std::to_string(options->outputs_size()));
  return output;
}

void ConvertOverStream(const v1::ConvertClipRequest& request,
                       v1::ClipService::Stub* stub,
                       grpc::ClientContext* context) {
  const auto stream = stub->ConvertClips(context);
  v1::ConvertClipsRequest frame;
  frame.mutable_begin()->set_key("k");
  *frame.mutable_begin()->mutable_source() = request.source();
  *frame.mutable_begin()->mutable_options() = request.options();
  frame.mutable_begin()->set_complete(true);
  stream->Write(frame);
  v1::ConvertClipsResponse response;
  while (stream->Read(&response) && !response.has_result()) {
  }
  stream->WritesDone();
  while (stream->Read(&response)) {
  }
  stream->Finish();
}

}  // namespace bvhmill::attack
