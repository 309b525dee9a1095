#pragma once

// The parts of a server, and how they are connected. Each service and each call
// is given the parts that it uses, and no more.

#include <memory>
#include <string>

#include "server/app/config.h"
#include "server/app/housekeeping.h"
#include "server/auth/tokens.h"
#include "server/jobs/job_call.h"
#include "server/jobs/jobs.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/limits/memory_guard.h"
#include "server/limits/stream_memory.h"
#include "server/net/connection_table.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/metrics_page.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/open_calls.h"
#include "server/rpc/peer_activity.h"

namespace bvhmill::server {

// Outlives every service and every call. Each part is thread-safe.
struct ServerParts {
  // `config` must be resolved: see WithResolvedLimits. Starts the threads.
  ServerParts(const ServerConfig& config, std::unique_ptr<TokenStore> tokens);
  ServerParts(const ServerParts&) = delete;
  ServerParts& operator=(const ServerParts&) = delete;

  RecordParts ForRecords() { return {*tokens, metrics, log}; }
  CallParts ForCalls() {
    return {ForRecords(), config, connections, calls, admission, queue};
  }
  JobCallParts ForJobCalls() { return {ForCalls(), jobs}; }
  // The state of the parts now, for the page of metrics.
  Gauges Now();

  const ServerConfig config;
  const std::unique_ptr<TokenStore> tokens;
  Log log;
  Metrics metrics;
  Admission admission;
  OpenCalls open_calls;
  Connections connections;
  PeerActivity peers;
  CallRegistry calls;
  StreamMemory stream_memory;
  FairQueue queue;
  MemoryGuard memory_guard;
  // Its items are tasks of the queue.
  Jobs jobs;
  // The last member: its thread uses the others.
  Housekeeping housekeeping;

 private:
  void CutForCalls(const std::string& peer, const char* why);
  MemoryHooks HooksOfGuard();
};

// How long a peer may accept nothing of what waits to be sent to it, in
// seconds: idle_seconds, or the time in which a silent peer must answer a
// keepalive ping if that is less. 0 = for ever.
int64_t SendTimeoutSeconds(const ServerConfig& config);

}  // namespace bvhmill::server
