#pragma once

// The parts of the server that every call uses for its record and its work, and
// the limits on the jobs of its caller.

#include <cstdint>

#include "server/app/config.h"
#include "server/auth/caller.h"
#include "server/auth/tokens.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/limits/message_budget.h"
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
  // The unary requests about clips and jobs; and those of other calls, which
  // are small.
  MessageBudget& requests;
  MessageBudget& small_requests;
  FairQueue& queue;
};

// Returns `limits` with the limits per caller that hold for `caller`: its
// quotas, or the limits per caller, or half of the limit on all; 0 = no limit.
// A caller without a token has no such limits.
inline JobLimits LimitsOf(const Caller& caller, JobLimits limits) {
  const auto bound = [&](int64_t quota, int64_t of_all, int64_t* limit) {
    if (caller.name.empty()) {
      *limit = 0;
    } else if (quota > 0) {
      *limit = quota;
    } else if (*limit == 0) {
      *limit = HalfOf(of_all);
    }
  };
  bound(caller.max_items, limits.max_queued_items,
        &limits.max_queued_items_per_caller);
  bound(caller.max_data_bytes, limits.max_data_bytes,
        &limits.max_data_bytes_per_caller);
  return limits;
}

}  // namespace bvhmill::server
