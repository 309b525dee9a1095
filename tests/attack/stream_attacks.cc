// Streams that hold much, and callers that do not read.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/attack/attack.h"
#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stub = v1::ClipService::Stub;
using Stream = grpc::ClientReaderWriter<Request, Response>;

constexpr int kConnections = 8;
// The server's default limit on calls of one connection.
constexpr int kStreams = 256;

// Streams that stay open until the target is stopped. `begin` sends what there
// is to send; nothing is read.
struct OpenStreams {
  std::vector<std::unique_ptr<Stub>> stubs;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
};

void Open(Target* target, bool is_packed,
          const std::function<void(Stream*)>& begin, OpenStreams* open) {
  for (int i = 0; i < kConnections * kStreams && !target->stopped(); ++i) {
    if (i % kStreams == 0) open->stubs.push_back(target->Connect());
    auto context = std::make_unique<grpc::ClientContext>();
    if (is_packed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    // A write to a peer that does not read must end.
    context->set_deadline(std::chrono::system_clock::now() +
                          std::chrono::seconds(120));
    target->AddCall();
    auto stream = open->stubs.back()->ConvertClips(context.get());
    begin(stream.get());
    open->contexts.push_back(std::move(context));
    open->streams.push_back(std::move(stream));
  }
}

void Close(const OpenStreams& open) {
  for (const auto& context : open.contexts) context->TryCancel();
  for (const auto& stream : open.streams) {
    Response response;
    while (stream->Read(&response)) {
    }
    stream->Finish();
  }
}

void HoldStreams(Target* target, bool is_packed,
                 const std::function<void(Stream*)>& begin) {
  OpenStreams open;
  Open(target, is_packed, begin, &open);
  while (!target->stopped()) target->Sleep(100);
  Close(open);
}

Request ManyNames(bool is_begin) {
  constexpr int kNames = 20'000;
  Request request;
  v1::ConvertOptions* options = is_begin
                                    ? request.mutable_begin()->mutable_options()
                                    : request.mutable_open()->mutable_options();
  for (int i = 0; i < kNames; ++i) {
    options->mutable_edits()->add_drop("a");
    options->mutable_edits()->add_keep("a");
  }
  return request;
}

void IdleOptions(Target* target) {
  const Request request = ManyNames(/*is_begin=*/false);
  HoldStreams(target, /*is_packed=*/true, [&](Stream* stream) {
    stream->Write(request);
    target->AddSent(400);
  });
}

void BeginsWithOptions(Target* target) {
  constexpr int kClips = 60;
  Request request = ManyNames(/*is_begin=*/true);
  HoldStreams(target, /*is_packed=*/true, [&](Stream* stream) {
    for (int i = 0; i < kClips; ++i) {
      request.mutable_begin()->set_key(std::to_string(i));
      request.mutable_begin()->set_complete(true);
      stream->Write(request);
      target->AddSent(400);
    }
  });
}

void SilentStreams(Target* target) {
  HoldStreams(target, /*is_packed=*/false,
              [&](Stream* stream) { stream->Write(Request()); });
}

// Each within a clip, of which some KB come.
void StreamsWithinClips(Target* target) {
  const std::string piece = HonestText().substr(0, 60'000);
  HoldStreams(target, /*is_packed=*/false, [&](Stream* stream) {
    Request request;
    request.mutable_begin()->mutable_options()->add_outputs()->mutable_npz();
    stream->Write(request);
    request.set_chunk(piece);
    stream->Write(request);
    target->AddSent(piece.size());
  });
}

// Asks for outputs of tens of MB and does not read them.
void UnreadOutputs(Target* target) {
  const std::string text =
      Zstd(WideSkeleton(2'000, "a") + Motion(3'000, "", 0));
  HoldStreams(target, /*is_packed=*/false, [&](Stream* stream) {
    Request request;
    v1::ClipBegin* begin = request.mutable_begin();
    begin->mutable_source()->set_data(text);
    begin->mutable_source()->set_encoding(v1::CONTENT_ENCODING_ZSTD);
    begin->mutable_options()->add_outputs()->mutable_positions();
    begin->set_complete(true);
    stream->Write(request);
    target->AddSent(text.size());
  });
}

// Every small clip brings back a key of 1,024 bytes several times.
void LongKeys(Target* target) {
  const std::string text = WideSkeleton(1, "a") + Motion(1, "", 1);
  Repeat(4, target, [&](int) {
    const auto stub = target->Connect();
    target->Call([&](grpc::ClientContext* context) {
      const auto stream = stub->ConvertClips(context);
      std::thread reader([&] {
        Response response;
        while (stream->Read(&response)) {
        }
      });
      Request request;
      for (int64_t i = 0; !target->stopped(); ++i) {
        v1::ClipBegin* begin = request.mutable_begin();
        begin->set_key(std::to_string(i) + std::string(1'000, 'k'));
        begin->mutable_source()->set_data(text);
        begin->mutable_options()->clear_outputs();
        begin->mutable_options()->add_outputs()->mutable_csv();
        begin->set_complete(true);
        if (!stream->Write(request)) break;
        target->AddSent(request.ByteSizeLong());
      }
      stream->WritesDone();
      reader.join();
      stream->Finish();
    });
  });
}

// Refused clips, each with a long message, as fast as they can be sent.
void RefusedClips(Target* target) {
  Repeat(4, target, [&](int) {
    const auto stub = target->Connect();
    target->Call([&](grpc::ClientContext* context) {
      const auto stream = stub->ConvertClips(context);
      std::thread reader([&] {
        Response response;
        while (stream->Read(&response)) {
        }
      });
      Request request;
      request.mutable_begin()->set_key(std::string(4'000, 'k'));
      request.mutable_begin()->set_complete(true);
      while (!target->stopped() && stream->Write(request)) {
        target->AddSent(request.ByteSizeLong());
      }
      stream->WritesDone();
      reader.join();
      stream->Finish();
    });
  });
}

// Streams that are cancelled as soon as they hold a clip.
void CancelledStreams(Target* target) {
  const std::string text =
      Zstd(WideSkeleton(2'000, "a") + Motion(3'000, "", 0));
  Repeat(8, target, [&](int) {
    const auto stub = target->Connect();
    while (!target->stopped()) {
      target->Call([&](grpc::ClientContext* context) {
        const auto stream = stub->ConvertClips(context);
        Request request;
        v1::ClipBegin* begin = request.mutable_begin();
        begin->mutable_source()->set_data(text);
        begin->mutable_source()->set_encoding(v1::CONTENT_ENCODING_ZSTD);
        begin->mutable_options()->add_outputs()->mutable_npz();
        begin->set_complete(true);
        stream->Write(request);
        target->AddSent(text.size());
        target->Sleep(20);
        context->TryCancel();
        Response response;
        while (stream->Read(&response)) {
        }
        stream->Finish();
      });
    }
  });
}

}  // namespace

std::vector<Attack> StreamAttacks() {
  std::vector<Attack> out = {
      {"idle-options", "2,048 idle streams, each with 40,000 names in `open`",
       IdleOptions},
      {"begins-with-options",
       "2,048 streams, each with 60 clips of 40,000 names in `begin`",
       BeginsWithOptions},
      {"silent-streams", "2,048 streams that say nothing", SilentStreams},
      {"streams-in-clips", "2,048 streams within a clip for npz",
       StreamsWithinClips},
      {"unread-outputs", "2,048 streams that read none of 72 MB each",
       UnreadOutputs},
      {"long-keys", "small clips with keys of 1,000 bytes, without end",
       LongKeys},
      {"refused-clips", "clips whose keys are too long, without end",
       RefusedClips},
      {"cancelled-streams", "streams given up while npz are made",
       CancelledStreams}};
  // Thousands of streams are not opened in a moment.
  for (Attack& attack : out) attack.times_longer = 2;
  return out;
}

}  // namespace bvhmill::attack
