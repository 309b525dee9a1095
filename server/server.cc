#include "server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <limits>
#include <sstream>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

absl::Status ReadWhole(const std::string& path, std::string* out) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in) {
    return MakeStatus(absl::StatusCode::kNotFound, "cannot read " + path);
  }
  *out = bytes.str();
  return absl::OkStatus();
}

absl::Status ReadTokens(const std::string& path,
                        std::vector<std::string>* tokens) {
  if (path.empty()) return absl::OkStatus();
  std::string text;
  BVHMILL_RETURN_IF_ERROR(ReadWhole(path, &text));
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    while (!line.empty() && std::isspace(static_cast<uint8_t>(line.back()))) {
      line.pop_back();
    }
    if (!line.empty() && line.front() != '#') tokens->push_back(line);
  }
  if (!tokens->empty()) return absl::OkStatus();
  // An empty list would open the server to everyone.
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    path + " holds no token");
}

absl::Status MakeCredentials(const ServerConfig& config,
                             std::shared_ptr<grpc::ServerCredentials>* out) {
  if (config.tls_cert.empty()) {
    *out = grpc::InsecureServerCredentials();
    return absl::OkStatus();
  }
  const bool asks_client = !config.tls_client_ca.empty();
  grpc::SslServerCredentialsOptions options(
      asks_client ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                  : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair;
  BVHMILL_RETURN_IF_ERROR(ReadWhole(config.tls_cert, &pair.cert_chain));
  BVHMILL_RETURN_IF_ERROR(ReadWhole(config.tls_key, &pair.private_key));
  if (asks_client) {
    BVHMILL_RETURN_IF_ERROR(
        ReadWhole(config.tls_client_ca, &options.pem_root_certs));
  }
  options.pem_key_cert_pairs.push_back(std::move(pair));
  *out = grpc::SslServerCredentials(options);
  return absl::OkStatus();
}

void SetChannelOptions(const ServiceLimits& limits,
                       grpc::ServerBuilder* builder) {
  // Messages somewhat over the limit are read and refused with its name;
  // beyond that gRPC refuses them by itself.
  constexpr int64_t kNamedFactor = 4;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t limit = limits.max_request_message_bytes;
  const int64_t most =
      limit == 0 ? kMost : std::min(limit * kNamedFactor, kMost);
  builder->SetMaxReceiveMessageSize(static_cast<int>(most));
  builder->SetMaxSendMessageSize(-1);
  // Two servers on one port would share it silently.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
}

}  // namespace

Server::Server(const ServerConfig& config, std::vector<std::string> tokens)
    : context_(config, std::move(tokens)),
      clip_service_(&context_),
      server_service_(&context_) {}

Server::~Server() {
  if (server_ != nullptr) server_->Shutdown();
}

absl::Status Server::Start(const ServerConfig& config,
                           std::unique_ptr<Server>* server) {
  std::vector<std::string> tokens;
  BVHMILL_RETURN_IF_ERROR(ReadTokens(config.token_file, &tokens));
  std::unique_ptr<Server> out(new Server(config, std::move(tokens)));
  BVHMILL_RETURN_IF_ERROR(out->Listen());
  *server = std::move(out);
  return absl::OkStatus();
}

absl::Status Server::Listen() {
  const ServerConfig& config = context_.config();
  std::shared_ptr<grpc::ServerCredentials> credentials;
  BVHMILL_RETURN_IF_ERROR(MakeCredentials(config, &credentials));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(config.listen, credentials, &port);
  builder.RegisterService(&clip_service_);
  builder.RegisterService(&server_service_);
  SetChannelOptions(config.service, &builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      "cannot listen on " + config.listen +
                          ": the address is taken or not of this machine, or "
                          "the certificate is not usable");
  }
  const size_t colon = config.listen.rfind(':');
  const bool is_unix = config.listen.starts_with("unix:");
  address_ = is_unix
                 ? config.listen
                 : config.listen.substr(0, colon) + ":" + std::to_string(port);
  return absl::OkStatus();
}

bool Server::Drain() {
  const std::chrono::seconds patience(context_.config().drain_seconds);
  server_->GetHealthCheckService()->SetServingStatus(false);
  const bool all_finished = context_.Drain(patience);
  // What is still running is cut off now.
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  server_->Wait();
  return all_finished;
}

}  // namespace bvhmill::server
