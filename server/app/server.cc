#include "server/app/server.h"

#include <dlfcn.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "bvhmill/base/status.h"
#include "server/http/clip_api.h"
#include "server/limits/memory.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

// `config` with fair shares for limits that are not set.
ServerConfig WithDefaults(ServerConfig config) {
  config.admission = WithShares(config.admission);
  return config;
}

// The requests of free calls that may arrive at once.
constexpr int64_t kSmallRequests = 16;

}  // namespace

ServerParts::ServerParts(const ServerConfig& given,
                         std::unique_ptr<TokenStore> token_store)
    : config(WithDefaults(given)),
      tokens(std::move(token_store)),
      log(config.log),
      admission(config.admission),
      requests(config.transport.max_transport_bytes,
               config.service.max_request_message_bytes),
      small_requests(kSmallRequests * MaxReceivedBytes(config.service),
                     MaxReceivedBytes(config.service)),
      connections(config.transport, SendTimeoutSeconds(config)),
      calls(config.transport.max_calls,
            [this](const std::string& peer) { CutForCalls(peer); }),
      stream_memory(config.service.max_total_stream_bytes),
      queue({.threads = config.threads,
             .on_exception = [this] { log.Exception("a task"); }}),
      memory_guard(HooksOfGuard()),
      jobs({config, log, metrics, *tokens, admission, queue}),
      housekeeping(
          {log, metrics, admission, connections, calls, memory_guard}) {
  // Makes the status now, while there is memory for it.
  static_cast<void>(ToGrpc(OutOfMemory()));
}

void ServerParts::CutForCalls(const std::string& peer) {
  CatchAndLog(log, "a call", [&] {
    if (!connections.Reset(peer)) return;
    metrics.cut_connections.Add("too_many_calls");
    log.Event("cut", "cut the connection of " + peer +
                         ": max_calls, and it has most of them");
  });
}

MemoryHooks ServerParts::HooksOfGuard() {
  return {.counted_bytes = [this] { return admission.bytes(); },
          .is_idle = [this] { return calls.running() + queue.busy() == 0; },
          .on_change =
              [this](bool is_short) {
                admission.RefuseNewClips(is_short);
                log.Event("memory", is_short
                                        ? "memory is short: health is "
                                          "NOT_SERVING, new clips are refused"
                                        : "memory is no longer short");
              }};
}

Gauges ServerParts::Now() {
  Gauges gauges;
  gauges.calls = calls.running();
  gauges.clips = admission.clips();
  gauges.bytes = admission.bytes();
  gauges.peak_bytes = admission.peak_bytes();
  gauges.stream_bytes = stream_memory.bytes();
  gauges.workers = queue.threads();
  gauges.busy_workers = queue.busy();
  gauges.connections = connections.count();
  const RefusedConnections refused = connections.refused();
  gauges.refused_connections = refused.max_connections;
  gauges.refused_connections_of_address = refused.max_connections_per_address;
  gauges.request_bytes = requests.bytes();
  gauges.waiting_requests = requests.waiting();
  const JobGauges now = jobs.Now();
  gauges.jobs = now.stats.jobs;
  gauges.waiting_items = now.stats.waiting;
  gauges.running_items = now.stats.leased;
  gauges.oldest_item_seconds = now.oldest_seconds;
  gauges.blob_bytes = now.blob_bytes;
  gauges.jobs_paused = now.is_paused;
  gauges.blocked_callers = now.blocked_callers;
  gauges.database_up = now.database_up;
  gauges.free_disk_bytes = now.free_disk_bytes;
  gauges.limits = {
      .max_calls = config.transport.max_calls,
      .max_inflight_clips = config.admission.max_inflight_clips,
      .max_inflight_bytes = config.admission.max_inflight_bytes,
      .max_streams = config.admission.max_streams,
      .max_total_stream_bytes = config.service.max_total_stream_bytes,
      .max_connections = connections.most(),
      .max_transport_bytes = config.transport.max_transport_bytes,
      .max_queued_items = config.jobs.max_queued_items,
      .max_data_bytes = config.jobs.max_data_bytes,
      .min_free_disk_bytes = config.jobs.min_free_disk_bytes};
  return gauges;
}

int64_t SendTimeoutSeconds(const ServerConfig& config) {
  const TransportLimits& transport = config.transport;
  const int64_t idle = config.service.idle_seconds;
  if (transport.keepalive_seconds == 0) return idle;
  const int64_t silent = Seconds(transport.keepalive_seconds).count() +
                         Seconds(transport.keepalive_timeout_seconds).count();
  return idle == 0 ? silent : std::min(idle, silent);
}

Housekeeping::Housekeeping(const Parts& parts)
    : parts_(parts),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Housekeeping::CutConnectionsAfter(std::chrono::milliseconds timeout) {
  cut_at_ = Clock::now() + timeout;
}

// A step that fails because memory is short runs again in the next round.
void Housekeeping::Run(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kRound(20);
  constexpr int64_t kRoundsOfASecond = 50;
  constexpr const char* kWhere = "the housekeeping";
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  for (int64_t round = 1; !stopped.wait_for(
           lock, stop, kRound, [&stop] { return stop.stop_requested(); });
       ++round) {
    watchdog_.Tick(Clock::now());
    CatchAndLog(parts_.log, kWhere, [this] { CutIfDue(); });
    CatchAndLog(parts_.log, kWhere,
                [this] { parts_.memory_guard.Check(Clock::now()); });
    if (round % kRoundsOfASecond != 0) continue;
    CatchAndLog(parts_.log, kWhere, [this] { EverySecond(); });
  }
}

void Housekeeping::CutIfDue() {
  if (Clock::now() < cut_at_.load()) return;
  parts_.metrics.cut_connections.Add("drain", parts_.connections.CutAll());
}

void Housekeeping::EverySecond() {
  const auto now = Clock::now();
  parts_.calls.Tick(now);
  for (const std::string& peer : parts_.connections.Sweep(Clock::now())) {
    parts_.metrics.cut_connections.Add("accepts_nothing");
    parts_.log.Event("cut",
                     "cut the connection of " +
                         (peer.empty() ? "a peer without an address" : peer) +
                         ": idle_seconds: the peer does not accept what "
                         "is sent to it");
  }
  parts_.admission.ForgetIdle();
  parts_.log.Tick(now);
}

namespace {

// The value that means "never" to gRPC.
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
      static_cast<int>(MaxReceivedBytes(config.service)));
  // gRPC would decompress a message of any size; ReadMessage does so within the
  // limit.
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder->SetMaxSendMessageSize(-1);
}

// The quota of gRPC's memory is the last resort: gRPC ends calls when it is
// used up. So it lies above what admission allows, for honest calls: the
// requests, each up to the largest message that gRPC reads, and the first
// window of each call.
void SetResources(const TransportLimits& limits, grpc::ServerBuilder* builder) {
  // Reflection, the only service of gRPC that takes a thread for each stream,
  // gets no more than these; further streams get RESOURCE_EXHAUSTED.
  constexpr int kMaxThreads = 8;
  constexpr int64_t kWindowBytes = int64_t{64} << 10;
  grpc::ResourceQuota quota("bvhmilld");
  quota.SetMaxThreads(kMaxThreads);
  if (limits.max_transport_bytes > 0 && limits.max_calls > 0) {
    constexpr int64_t kMax = int64_t{1} << 50;
    const int64_t bytes =
        2 * std::min(limits.max_transport_bytes, kMax) +
        kWindowBytes * std::min(limits.max_calls, kMax / kWindowBytes);
    quota.Resize(static_cast<size_t>(bytes));
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
      {GRPC_ARG_ENABLE_CHANNELZ, 0},
      {GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(limits.keepalive_seconds)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
       Milliseconds(limits.keepalive_timeout_seconds)},
      // No limit: gRPC would send at most two pings without data, and then not
      // notice that a client is gone.
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      // A connection keeps the buffer of its last read.
      {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadBytes},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
       Milliseconds(limits.handshake_seconds)},
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS,
       Milliseconds(limits.max_connection_idle_seconds)},
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

// Once loaded, the reflection of gRPC serves on every server of the process.
// It cannot be turned off.
absl::Status LoadReflection() {
  DescribeHealth();
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

absl::Status CannotServe(const char* what, const std::string& address,
                         const absl::Status& why) {
  return MakeStatus(absl::StatusCode::kUnavailable,
                    "cannot serve " + std::string(what) + " on " + address +
                        ": " + std::string(MessageOf(why)));
}

// The folder of outputs until they are sent over HTTP.
std::string SpoolFolder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.native();
}

}  // namespace

Server::Server(const ServerConfig& config, std::unique_ptr<TokenStore> tokens)
    : parts_(config, std::move(tokens)),
      clip_service_(parts_.ForCalls(), &parts_.stream_memory,
                    [this](const UnaryWork& call, const std::string& blob,
                           std::string* bytes) {
                      return ReadStoredSource(parts_.ForJobCalls(), call, blob,
                                              bytes);
                    }),
      job_service_(parts_.ForJobCalls()),
      blob_service_(parts_.ForJobCalls()),
      server_service_({parts_.ForRecords(), parts_.config, parts_.connections,
                       parts_.queue, parts_.calls, parts_.small_requests}),
      health_service_({parts_.log, parts_.connections, parts_.calls,
                       parts_.small_requests,
                       Seconds(parts_.config.service.idle_seconds)}),
      unknown_service_(parts_.ForRecords(), &parts_.calls) {}

Server::~Server() {
  parts_.memory_guard.Listen({});
  Close(kToEndCalls);
}

// gRPC closes a connection after it has written everything. A peer that reads
// nothing would delay that for ever, so connections that are left are cut.
void Server::Close(std::chrono::milliseconds to_end_calls) {
  constexpr std::chrono::milliseconds kToClose(800);
  if (listener_ != nullptr) listener_->Stop();
  if (server_ == nullptr) return;
  parts_.housekeeping.CutConnectionsAfter(kToClose);
  server_->Shutdown(std::chrono::system_clock::now() + to_end_calls);
  server_->Wait();
  // Requests of HTTP are calls, which have ended.
  http_ = nullptr;
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
  // Before the files are read: the watch then notices a change in between.
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
  BVHMILL_RETURN_IF_ERROR(out->StartHttp());
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

// Must not throw: a connection for which there is no memory is closed.
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
  const auto now = [this] {
    Gauges gauges = parts_.Now();
    gauges.certificate_expiry_seconds = tls_files_->expiry_seconds();
    return gauges;
  };
  const auto page = std::make_shared<const MetricsPage>(&parts_.metrics, now);
  const auto add = [this, page](httplib::Server* routes) {
    routes->Get("/metrics", [page](const auto&, auto& response) {
      response.set_content(page->Text(), MetricsPage::kType);
    });
    // The process answers.
    routes->Get("/healthz", [](const auto&, auto& response) {
      response.set_content("ok\n", "text/plain");
    });
    // The server accepts clips: as grpc.health.v1.Health.
    routes->Get("/readyz", [this](const auto&, auto& response) {
      const bool serves = health_service_.is_serving();
      response.status = serves ? 200 : 503;
      response.set_content(serves ? "ok\n" : "not serving\n", "text/plain");
    });
  };
  const absl::Status started =
      HttpServer::Start({.address = address,
                         .threads = 8,
                         .header_seconds = std::chrono::seconds(2),
                         .idle_seconds = std::chrono::seconds(2)},
                        add, &metrics_server_);
  return started.ok() ? started : CannotServe("metrics", address, started);
}

absl::Status Server::StartHttp() {
  const ServerConfig& config = parts_.config;
  if (config.http.empty()) return absl::OkStatus();
  ClipApiOptions api = {.channel = server_->InProcessChannel({}),
                        .spool = SpoolFolder(),
                        .origins = {},
                        .files = config.http_files};
  const std::vector<std::string> origins =
      absl::StrSplit(config.http_origins, ',', absl::SkipEmpty());
  api.origins.insert(origins.begin(), origins.end());
  HttpOptions options = {.address = config.http};
  options.idle_seconds = Seconds(config.service.idle_seconds);
  if (!config.tls_cert.empty()) {
    options.tls = [this] { return tls_files_->Context(); };
  }
  absl::Status added;
  const absl::Status started = HttpServer::Start(
      options,
      [&](httplib::Server* routes) { added = AddClipApi(api, routes); },
      &http_);
  BVHMILL_RETURN_IF_ERROR(added);
  return started.ok() ? started : CannotServe("HTTP", config.http, started);
}

std::string Server::metrics_address() const {
  return metrics_server_ == nullptr ? "" : metrics_server_->address();
}

std::string Server::http_address() const {
  return http_ == nullptr ? "" : http_->address();
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
  // One reload at a time: otherwise a reload that read an older file could end
  // last, and the older content would stay in use.
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
  const std::chrono::seconds timeout(parts_.config.drain_seconds);
  parts_.memory_guard.Listen({});
  health_service_.SetServing(false);
  parts_.jobs.Drain();
  const bool all_finished = parts_.calls.Drain(timeout);
  // Calls that have used up the drain are cancelled at once.
  Close(all_finished ? kToEndCalls : std::chrono::milliseconds(0));
  return all_finished;
}

}  // namespace bvhmill::server
