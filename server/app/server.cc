#include "server/app/server.h"

#include <dlfcn.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {
namespace {

// The value by which gRPC means never.
constexpr int kNever = std::numeric_limits<int32_t>::max();

// The time in which gRPC sends the statuses of calls that have finished.
constexpr std::chrono::milliseconds kToEndCalls(400);

int Milliseconds(int64_t seconds) {
  constexpr int64_t kMax = kNever / 1000;
  return seconds == 0 ? kNever
                      : static_cast<int>(std::min(seconds, kMax) * 1000);
}

void SetMessageLimits(const ServerConfig& config,
                      grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(
      static_cast<int>(MaxReceivedBytes(config.service, config.transport)));
  // gRPC would decompress a message of any size; ReadMessage does so within the
  // limit.
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder->SetMaxSendMessageSize(-1);
}

void SetResources(const TransportLimits& limits, grpc::ServerBuilder* builder) {
  // Reflection, the only service of gRPC that takes a thread for each stream,
  // gets no more than these; further streams get RESOURCE_EXHAUSTED.
  constexpr int kMaxThreads = 8;
  grpc::ResourceQuota quota("bvhmilld");
  quota.SetMaxThreads(kMaxThreads);
  if (limits.max_transport_bytes > 0) {
    quota.Resize(static_cast<size_t>(limits.max_transport_bytes));
  }
  builder->SetResourceQuota(quota);
}

void SetConnectionLimits(const TransportLimits& limits,
                         grpc::ServerBuilder* builder) {
  constexpr int kMaxReadBytes = 64 << 10;
  const std::pair<const char*, int> arguments[] = {
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
       limits.min_ping_seconds == 0 ? 0
                                    : Milliseconds(limits.min_ping_seconds)},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      // See OpenCalls.
      {GRPC_ARG_ENABLE_CHANNELZ, 1},
      {GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(limits.keepalive_seconds)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
       Milliseconds(limits.keepalive_timeout_seconds)},
      // gRPC still serves what it has read of a connection that was cut.
      {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadBytes},
      // Else the server sends at most two pings without data, and does not
      // notice that a client is gone.
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
       Milliseconds(limits.handshake_seconds)},
      {GRPC_ARG_MAX_CONNECTION_AGE_MS,
       Milliseconds(limits.max_connection_age_seconds)},
      {GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
       Milliseconds(limits.max_connection_age_grace_seconds)}};
  for (const auto& [name, value] : arguments) {
    builder->AddChannelArgument(name, value);
  }
  if (limits.max_streams_per_connection > 0) {
    builder->AddChannelArgument(
        GRPC_ARG_MAX_CONCURRENT_STREAMS,
        static_cast<int>(
            std::min<int64_t>(limits.max_streams_per_connection, kNever)));
  }
  SetResources(limits, builder);
}

// Once loaded, the reflection of gRPC serves on every server of the process,
// and cannot be turned off.
absl::Status LoadReflection() {
  if (dlopen(BVHMILL_REFLECTION, RTLD_NOW | RTLD_GLOBAL) != nullptr) {
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kNotFound,
                    std::string("cannot load ") + BVHMILL_REFLECTION +
                        ", which --reflection on needs");
}

std::vector<std::string> WatchedFiles(const ServerConfig& config) {
  return {config.token_file, config.tls_cert, config.tls_key,
          config.tls_client_ca};
}

}  // namespace

Server::Server(const ServerConfig& config, std::unique_ptr<TokenStore> tokens)
    : parts_(config, std::move(tokens)),
      clip_service_(parts_.ForCalls(), &parts_.stream_memory),
      job_service_(parts_.ForJobCalls()),
      blob_service_(parts_.ForJobCalls()),
      server_service_({parts_.ForRecords(), parts_.config, parts_.connections,
                       parts_.queue, parts_.calls}),
      health_service_({parts_.log, parts_.calls,
                       Seconds(parts_.config.service.idle_seconds)}),
      unknown_service_(parts_.ForRecords(), &parts_.calls) {}

Server::~Server() {
  parts_.memory_guard.Listen({});
  Close(kToEndCalls);
}

// gRPC closes a connection once it has written everything. A peer that reads
// nothing delays that for ever, so connections that are left are cut.
void Server::Close(std::chrono::milliseconds to_end_calls) {
  constexpr std::chrono::milliseconds kToClose(800);
  if (listener_ != nullptr) listener_->Stop();
  if (server_ == nullptr) return;
  parts_.housekeeping.CutConnectionsAfter(kToClose);
  server_->Shutdown(std::chrono::system_clock::now() + to_end_calls);
  server_->Wait();
}

absl::Status Server::Start(const ServerConfig& config,
                           std::unique_ptr<Server>* server) {
  try {
    return StartOrThrow(config, server);
  } catch (const std::exception& error) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      std::string("the system has too few threads or too "
                                  "little memory: ") +
                          error.what());
  }
}

absl::Status Server::StartOrThrow(const ServerConfig& config,
                                  std::unique_ptr<Server>* server) {
  // Before the files are read: a change in the meantime is seen later.
  std::vector<std::string> seen;
  for (const std::string& path : WatchedFiles(config)) {
    seen.push_back(StateOfFile(path));
  }
  std::unique_ptr<TokenStore> tokens;
  BVHMILL_RETURN_IF_ERROR(TokenStore::Open(config.token_file, &tokens));
  std::unique_ptr<Server> out(
      new Server(WithResolvedLimits(config), std::move(tokens)));
  BVHMILL_RETURN_IF_ERROR(out->parts_.jobs.Start());
  BVHMILL_RETURN_IF_ERROR(out->Listen());
  BVHMILL_RETURN_IF_ERROR(out->StartMetrics());
  out->WatchFiles(std::move(seen));
  *server = std::move(out);
  return absl::OkStatus();
}

absl::Status Server::Listen() {
  const ServerConfig& config = parts_.config;
  BVHMILL_RETURN_IF_ERROR(TlsFiles::Open(config, &tls_files_));
  if (config.reflection) BVHMILL_RETURN_IF_ERROR(LoadReflection());
  BVHMILL_RETURN_IF_ERROR(Listener::Open(config.listen, &listener_));
  grpc::ServerBuilder builder;
  using Builder = grpc::ServerBuilder::experimental_type;
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      Builder::ExternalConnectionType::FROM_FD, tls_files_->Credentials());
  builder.RegisterService(&clip_service_);
  builder.RegisterService(&job_service_);
  builder.RegisterService(&blob_service_);
  builder.RegisterService(&server_service_);
  builder.RegisterService(&health_service_);
  builder.RegisterCallbackGenericService(&unknown_service_);
  SetMessageLimits(config, &builder);
  SetConnectionLimits(config.transport, &builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      "cannot serve: the certificate is not usable");
  }
  parts_.memory_guard.Listen(
      [this](bool is_short) { health_service_.SetServing(!is_short); });
  listener_->Start(
      [this](int file, int listening_file) { HandOver(file, listening_file); });
  return absl::OkStatus();
}

// Must not throw: without memory for it, a connection ends.
void Server::HandOver(int file, int listening_file) {
  bool is_added = false;
  CatchAndLog(parts_.log, "the listener",
              [&] { is_added = parts_.connections.Add(file); });
  if (!is_added) {
    close(file);
    return;
  }
  try {
    using Acceptor = grpc::experimental::ExternalConnectionAcceptor;
    Acceptor::NewConnectionParameters taken;
    taken.listener_fd = listening_file;
    taken.fd = file;
    acceptor_->HandleNewConnection(&taken);
  } catch (...) {
    parts_.log.Exception("the listener");
    // gRPC may own the file by now, so it is not closed here.
    shutdown(file, SHUT_RDWR);
  }
}

absl::Status Server::StartMetrics() {
  const std::string& address = parts_.config.metrics;
  if (address.empty()) return absl::OkStatus();
  return MetricsPage::Start(
      address, &parts_.metrics, [this] { return parts_.Now(); },
      &metrics_page_);
}

std::string Server::metrics_address() const {
  return metrics_page_ == nullptr ? "" : metrics_page_->address();
}

void Server::WatchFiles(std::vector<std::string> seen) {
  file_watch_ = std::make_unique<FileWatch>(
      WatchedFiles(parts_.config),
      [this](const std::string& path) { ReloadFile(path); },
      [this] { parts_.log.Exception("the watch of files"); }, std::move(seen));
}

void Server::Reload() {
  const ServerConfig& config = parts_.config;
  CatchAndLog(parts_.log, "a reload of files", [&] {
    if (!config.token_file.empty()) ReloadFile(config.token_file);
    if (!config.tls_cert.empty()) ReloadFile(config.tls_cert);
  });
}

void Server::ReloadFile(const std::string& path) {
  const ServerConfig& config = parts_.config;
  // One reload at a time: else one that read an older file could end last, and
  // its contents would stay in use.
  const std::lock_guard lock(reload_mutex_);
  const bool is_tokens = path == config.token_file;
  const absl::Status status =
      is_tokens ? parts_.tokens->Reload() : tls_files_->Reload();
  if (status.ok()) {
    parts_.log.Event("read " + path + " again");
    return;
  }
  parts_.log.Event(
      (is_tokens ? "kept the old tokens: " : "kept the old certificate: ") +
      std::string(MessageOf(status)));
}

bool Server::Drain() {
  const std::chrono::seconds patience(parts_.config.drain_seconds);
  parts_.memory_guard.Listen({});
  health_service_.SetServing(false);
  parts_.jobs.Drain();
  const bool all_finished = parts_.calls.Drain(patience);
  // Calls that had their time are cancelled at once.
  Close(all_finished ? kToEndCalls : std::chrono::milliseconds(0));
  return all_finished;
}

}  // namespace bvhmill::server
