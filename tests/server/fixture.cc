#include "tests/server/fixture.h"

#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/options.h"
#include "server/rpc/statuses.h"

namespace bvhmill::testing {
namespace {

template <typename Message>
void Unpack(const google::protobuf::Any& any, const char* type, Message* out) {
  if (any.type_url() == std::string("type.googleapis.com/google.rpc.") + type) {
    EXPECT_TRUE(out->ParseFromString(any.value()));
  }
}

}  // namespace

std::string SmallClip(int frames) {
  std::string out =
      "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition "
      "Yposition Zposition Zrotation Xrotation Yrotation\n\tJOINT Spine\n\t{\n"
      "\t\tOFFSET 0 5 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
      "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 4 0\n\t\t}\n\t}\n}\nMOTION\n"
      "Frames: " +
      std::to_string(frames) + "\nFrame Time: 0.0333333\n";
  for (int i = 0; i < frames; ++i) {
    const int a = i % 61;
    const int angles[] = {10 + a, 20 - 2 * a, 30 + 3 * a,
                          -5 - a, 6 + 2 * a,  7 - 3 * a};
    out += std::to_string(i % 97) + " 90.5 1";
    for (const int angle : angles) out += " " + std::to_string(angle);
    out += "\n";
  }
  return out;
}

void ServerTest::Start(
    const std::function<void(server::ServerConfig*)>& configure) {
  server::ServerConfig config;
  config.listen = "127.0.0.1:0";
  // The memory that a sanitizer takes grows by more than what comes, and the
  // server would cut connections.
  if (BVHMILL_SANITIZED != 0) config.transport.max_transport_bytes = 0;
  if (configure) configure(&config);
  const absl::Status status = server::Server::Start(config, &server_);
  ASSERT_TRUE(status.ok()) << status;
  channel_ = OwnChannel();
  clips_ = v1::ClipService::NewStub(channel_);
  info_ = v1::ServerService::NewStub(channel_);
}

std::shared_ptr<grpc::Channel> ServerTest::OwnChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(
      server_->address(), grpc::InsecureChannelCredentials(), arguments);
}

v1::ConvertClipRequest PositionsRequest(const std::string& text) {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(text);
  request.mutable_options()->add_outputs()->mutable_positions();
  return request;
}

std::vector<std::string> LocalOutputs(const std::string& text,
                                      const v1::ConvertOptions& options) {
  ConvertOptions local;
  EXPECT_TRUE(wire::FromProto(options, &local).ok());
  StringReceiver receiver;
  EXPECT_TRUE(Convert(text, local, &receiver, nullptr).status.ok());
  return receiver.data();
}

Details DetailsOf(const grpc::Status& status) {
  v1::RpcStatus rich;
  EXPECT_TRUE(rich.ParseFromString(status.error_details()));
  EXPECT_EQ(rich.details_size() == 0 ? status.error_code() : rich.code(),
            status.error_code());
  Details details;
  for (const google::protobuf::Any& any : rich.details()) {
    Unpack(any, "ErrorInfo", &details.info);
    Unpack(any, "QuotaFailure", &details.quota);
    Unpack(any, "BadRequest", &details.bad_request);
    Unpack(any, "RetryInfo", &details.retry);
    Unpack(any, "ResourceInfo", &details.resource);
  }
  return details;
}

Details DetailsOf(const absl::Status& status) {
  return DetailsOf(server::ToGrpc(status));
}

v1::Status OutcomeOf(const grpc::Status& status, const v1::ClipResult& result) {
  if (status.ok()) return result.status();
  v1::Status out;
  out.set_code(status.error_code());
  out.set_message(status.error_message());
  const v1::ErrorInfo info = DetailsOf(status).info;
  if (!info.reason().empty()) *out.mutable_info() = info;
  return out;
}

std::string CallRaw(grpc::Channel* channel, const std::string& method,
                    const std::string& request) {
  grpc::GenericStub stub(std::shared_ptr<grpc::ChannelInterface>(
      channel, [](grpc::ChannelInterface*) {}));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  const grpc::Slice slice(request);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  queue.Next(&tag, &ok);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  queue.Next(&tag, &ok);
  EXPECT_TRUE(ok) << method;
  context.TryCancel();
  std::vector<grpc::Slice> slices;
  std::string out;
  if (ok && answer.Dump(&slices).ok()) {
    for (const grpc::Slice& s : slices) {
      out.append(reinterpret_cast<const char*>(s.begin()), s.size());
    }
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return out;
}

int DialLoopback(const std::string& address, const std::string& from) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (!from.empty()) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, from.c_str(), &own.sin_addr), 1);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(
      static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

std::string FetchMetrics(const std::string& address) {
  const int fd = DialLoopback(address);
  const timeval timeout = {30, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  const std::string request = "GET /metrics HTTP/1.0\r\n\r\n";
  EXPECT_EQ(write(fd, request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return answer;
}

int64_t FetchGauge(const std::string& address, const std::string& name) {
  const std::string page = FetchMetrics(address);
  const size_t at = page.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name;
  if (at == std::string::npos) return -1;
  return static_cast<int64_t>(std::stod(page.substr(at + name.size() + 2)));
}

}  // namespace bvhmill::testing
