#include "server/app/server_parts.h"

#include <algorithm>
#include <utility>

#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

// `config` with the defaults that depend on other limits.
ServerConfig WithDefaults(ServerConfig config) {
  config.admission = WithShares(config.admission);
  return config;
}

// No connection is cut for memory if the limit is 0 or beyond any memory.
bool GuardsTransport(const TransportLimits& transport) {
  constexpr int64_t kNoLimit = int64_t{1} << 50;
  const int64_t limit = transport.max_transport_bytes;
  return limit > 0 && limit <= kNoLimit;
}

}  // namespace

ServerParts::ServerParts(const ServerConfig& given,
                         std::unique_ptr<TokenStore> token_store)
    : config(WithDefaults(given)),
      tokens(std::move(token_store)),
      log(config.log),
      admission(config.admission),
      connections(
          config.transport, SendTimeoutSeconds(config),
          [this](const std::string& peer) { return open_calls.Of(peer); }),
      peers(config.transport.max_streams_per_connection),
      calls(&peers, [this](const std::string& peer,
                           const char* why) { CutForCalls(peer, why); }),
      stream_memory(config.service.max_total_stream_bytes),
      queue({.threads = config.threads,
             .on_exception = [this] { log.Exception("a task"); }}),
      memory_guard(HooksOfGuard(), GuardsTransport(config.transport)),
      jobs({config, log, metrics, *tokens, admission, queue}),
      housekeeping({log, admission, connections, peers, calls, memory_guard}) {
  // Makes the status while there is memory for it.
  static_cast<void>(ToGrpc(OutOfMemory()));
}

void ServerParts::CutForCalls(const std::string& peer, const char* why) {
  CatchAndLog(log, "a call", [&] {
    if (!connections.Reset(peer)) return;
    log.Event("cut", "cut the connection of " + peer +
                         ": more than twice max_streams_per_connection " + why);
  });
}

MemoryHooks ServerParts::HooksOfGuard() {
  const auto use_of = [this](const std::string& peer) {
    return peers.UseOf(peer);
  };
  using Time = MemoryHooks::Time;
  return {.counted_bytes = [this] { return admission.bytes(); },
          .unfinished_bytes =
              [this, use_of](Time now) {
                LogCuts(connections.CutUncounted(now, use_of), log);
                return connections.CountStrayBytes(now, use_of);
              },
          .received_bytes = [this] { return connections.read_bytes(); },
          .cut =
              [this, use_of](Time now, bool all) {
                LogCuts(connections.CutGrowing(now, use_of, all), log);
              },
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
  gauges.refused_connections = connections.refused();
  const JobGauges now = jobs.Now();
  gauges.jobs = now.stats.jobs;
  gauges.waiting_items = now.stats.waiting;
  gauges.running_items = now.stats.leased;
  gauges.oldest_item_seconds = now.oldest_seconds;
  gauges.blob_bytes = now.blob_bytes;
  gauges.jobs_paused = now.is_paused;
  gauges.blocked_callers = now.blocked_callers;
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

}  // namespace bvhmill::server
