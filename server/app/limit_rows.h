#pragma once

// The rows of server/limits/limits.inc as data: for flags, pages and tests.

#include "bvhmill/base/limit_rows.h"
#include "server/app/config.h"

namespace bvhmill::server {

inline constexpr LimitRow<ServiceLimits> kServiceLimits[] = {
#define BVHMILL_SERVICE_LIMIT(...) BVHMILL_LIMIT_ROW(ServiceLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<AdmissionLimits> kAdmissionLimits[] = {
#define BVHMILL_ADMISSION_LIMIT(...) \
  BVHMILL_LIMIT_ROW(AdmissionLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<TransportLimits> kTransportLimits[] = {
#define BVHMILL_TRANSPORT_LIMIT(...) \
  BVHMILL_LIMIT_ROW(TransportLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<JobLimits> kJobLimits[] = {
#define BVHMILL_JOB_LIMIT(...) BVHMILL_LIMIT_ROW(JobLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

// Calls `take(row, &limits)` for each limit of the server, those on clips
// included, with the struct of `config` that the row belongs to.
template <typename Config, typename Take>
void ForEachLimit(Config& config, const Take& take) {
  for (const auto& row : kClipLimits) take(row, &config.limits);
  for (const auto& row : kServiceLimits) take(row, &config.service);
  for (const auto& row : kAdmissionLimits) take(row, &config.admission);
  for (const auto& row : kTransportLimits) take(row, &config.transport);
  for (const auto& row : kJobLimits) take(row, &config.jobs);
}

// The title of a group in --help.
constexpr const char* TitleOf(LimitGroup group) {
  switch (group) {
    case LimitGroup::kClips:
      return "Limits on one clip (0 = no limit)";
    case LimitGroup::kStreams:
      return "Limits on messages and streams (0 = no limit)";
    case LimitGroup::kInFlight:
      return "Limits on what is in flight (0 = no limit)";
    case LimitGroup::kShares:
      return "Limits for one connection or token (0 = half of what others "
             "leave)";
    case LimitGroup::kJobs:
      return "Limits on jobs (0 = no limit)";
    case LimitGroup::kConnections:
      break;
  }
  return "Limits on connections (0 = no limit)";
}

}  // namespace bvhmill::server
