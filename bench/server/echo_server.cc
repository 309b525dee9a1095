// The echo server: takes and sends the traffic of bvhmilld, and converts
// nothing.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "bench/server/server_process.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kChunk = size_t{256} << 10;

class NullService final : public v1::ClipService::Service {
 public:
  explicit NullService(double part) : part_(part) {}

  grpc::Status ConvertClip(grpc::ServerContext* /*context*/,
                           const v1::ConvertClipRequest* request,
                           v1::ConvertClipResponse* response) override {
    const auto bytes = static_cast<double>(request->source().data().size());
    response->mutable_result()->add_outputs()->mutable_data()->resize(
        static_cast<size_t>(bytes * part_));
    return grpc::Status::OK;
  }

  grpc::Status ConvertClips(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<v1::ConvertClipsResponse,
                               v1::ConvertClipsRequest>* stream) override {
    stream->SendInitialMetadata();
    v1::ConvertClipsRequest request;
    double owed = 0;
    while (stream->Read(&request)) {
      owed +=
          part_ * static_cast<double>(request.chunk().size() +
                                      request.begin().source().data().size());
      const bool ends = request.has_end() || request.begin().complete();
      while (owed >= kChunk) {
        Send(kChunk, stream);
        owed -= kChunk;
      }
      if (!ends) continue;
      Send(static_cast<size_t>(owed), stream);
      owed = 0;
      v1::ConvertClipsResponse result;
      result.mutable_result();
      stream->Write(result);
    }
    return grpc::Status::OK;
  }

 private:
  static void Send(size_t bytes,
                   grpc::ServerReaderWriter<v1::ConvertClipsResponse,
                                            v1::ConvertClipsRequest>* stream) {
    v1::ConvertClipsResponse response;
    response.mutable_output_chunk()->mutable_data()->resize(bytes);
    stream->Write(response);
  }

  double part_;
};

}  // namespace

int RunEchoServer(double part) {
  NullService service(part);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::cout << "listening on 127.0.0.1:" << port << std::endl;
  server->Wait();
  return 0;
}

}  // namespace bvhmill::bench
