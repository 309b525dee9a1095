#pragma once

// The parts of a server that its calls use.

#include <grpcpp/server_context.h>

#include "server/app/config.h"
#include "server/auth/tokens.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/net/connection_table.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/rpc/call_registry.h"

namespace bvhmill::server {

// Parts for the record of a call. All parts outlive the call.
struct RecordParts {
  const TokenStore& tokens;
  Metrics& metrics;
  const Log& log;
};

// Parts for a call about clips. All parts outlive the call.
struct CallParts {
  RecordParts record;
  const ServerConfig& config;
  const Connections& connections;
  CallRegistry& calls;
  Admission& admission;
  FairQueue& queue;
};

// True if the connection of `call` was cut, so that no peer waits for the call.
// Ask before reading its metadata: a peer may flood a server with a million
// fields of metadata.
inline bool WasCut(const Connections& connections,
                   const grpc::CallbackServerContext& call) {
  return connections.has_cuts() && connections.WasReset(call.peer());
}

}  // namespace bvhmill::server
