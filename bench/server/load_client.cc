#include "bench/server/load_client.h"

#include <google/protobuf/arena.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace bvhmill::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stream = ClipStream;

constexpr size_t kChunk = size_t{256} << 10;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reads all answers while another thread writes.
class Reading {
 public:
  explicit Reading(Stream* stream)
      : thread_([this, stream] { ReadAll(stream); }) {}

  // Waits for the end; the time of the last answer.
  Clock::time_point Wait() {
    thread_.join();
    return last_;
  }
  int64_t bytes() const { return bytes_; }
  int64_t good() const { return good_; }

 private:
  void ReadAll(Stream* stream) {
    Response response;
    while (stream->Read(&response)) {
      last_ = Clock::now();
      bytes_ += static_cast<int64_t>(response.output_chunk().data().size());
      if (response.has_result() && response.result().status().code() == 0) {
        ++good_;
      }
    }
  }

  int64_t bytes_ = 0;
  int64_t good_ = 0;
  Clock::time_point last_;
  std::thread thread_;
};

void SendChunks(std::string_view text, Stream* stream) {
  for (size_t at = 0; at < text.size(); at += kChunk) {
    if (!SendChunk(text.substr(at, kChunk), stream)) return;
  }
}

void SendClip(const std::string& key, std::string_view text, Stream* stream) {
  if (text.size() <= kChunk) {
    SendWhole(key, text, stream);
    return;
  }
  BeginClip(key, stream);
  SendChunks(text, stream);
  EndClip(stream);
}

// Opens a stream, lets `send` send `clips` clips, and reads what comes.
template <typename Send>
StreamRun RunStream(Stub* stub, int64_t clips, const Send& send) {
  StreamRun run;
  grpc::ClientContext context;
  const auto start = Clock::now();
  const auto stream = stub->ConvertClips(&context);
  Reading reading(stream.get());
  OpenStream(stream.get());
  send(stream.get());
  const auto sent = Clock::now();
  stream->WritesDone();
  const Clock::time_point last = reading.Wait();
  run.seconds = SecondsSince(start);
  run.tail_seconds = std::chrono::duration<double>(last - sent).count();
  run.output_bytes = reading.bytes();
  run.ok = stream->Finish().ok() && reading.good() == clips;
  return run;
}

}  // namespace

std::unique_ptr<Stub> Connect(const std::string& address) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(-1);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Retries would hide refused calls from the benchmark.
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return v1::ClipService::NewStub(grpc::CreateCustomChannel(
      address, grpc::InsecureChannelCredentials(), args));
}

bool OpenStream(ClipStream* stream) {
  Request request;
  request.mutable_open()->mutable_options()->add_outputs()->mutable_positions();
  return stream->Write(request);
}

bool BeginClip(const std::string& key, ClipStream* stream) {
  Request request;
  request.mutable_begin()->set_key(key);
  return stream->Write(request);
}

bool SendChunk(std::string_view bytes, ClipStream* stream) {
  Request request;
  request.set_chunk(bytes.data(), bytes.size());
  return stream->Write(request);
}

bool EndClip(ClipStream* stream) {
  Request request;
  request.mutable_end();
  return stream->Write(request);
}

bool SendWhole(const std::string& key, std::string_view text,
               ClipStream* stream) {
  Request request;
  request.mutable_begin()->set_key(key);
  request.mutable_begin()->mutable_source()->set_data(text.data(), text.size());
  request.mutable_begin()->set_complete(true);
  return stream->Write(request);
}

StreamRun ConvertOverStream(Stub* stub, std::string_view text, int64_t clips) {
  return RunStream(stub, clips, [&](Stream* stream) {
    for (int64_t i = 0; i < clips; ++i) {
      SendClip(std::to_string(i), text, stream);
    }
  });
}

StreamRun ConvertEndless(Stub* stub, std::string_view heads,
                         std::string_view rows, int64_t bytes) {
  return RunStream(stub, 1, [&](Stream* stream) {
    BeginClip("endless", stream);
    SendChunks(heads, stream);
    const auto size = static_cast<int64_t>(rows.size());
    for (int64_t sent = 0; sent < bytes; sent += size) {
      SendChunks(rows, stream);
    }
    EndClip(stream);
  });
}

bool ConvertUnary(Stub* stub, const std::string& text, bool* refused) {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(text);
  request.mutable_options()->add_outputs()->mutable_positions();
  google::protobuf::Arena arena;
  auto* const response =
      google::protobuf::Arena::CreateMessage<v1::ConvertClipResponse>(&arena);
  grpc::ClientContext context;
  const grpc::Status status = stub->ConvertClip(&context, request, response);
  *refused = status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
             status.error_code() == grpc::StatusCode::UNAVAILABLE;
  return status.ok();
}

}  // namespace bvhmill::bench
