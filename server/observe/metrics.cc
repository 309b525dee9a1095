#include "server/observe/metrics.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {
namespace {

constexpr std::string_view kMethodNames[] = {
    "ValidateClip", "ConvertClip", "ConvertClips", "GetServerInfo",
    "CreateJob",    "GetJob",      "ListJobs",     "ListJobResults",
    "WaitJob",      "CancelJob",   "DeleteJob",    "FindMissingBlobs",
    "WriteBlob",    "ReadBlob",    "DeleteBlob",   "unknown"};
constexpr std::string_view kStageNames[] = {
    "queue", "read", "validate", "edit", "solve", "encode", "write", "total"};
constexpr std::string_view kCodeNames[] = {"OK",
                                           "CANCELLED",
                                           "UNKNOWN",
                                           "INVALID_ARGUMENT",
                                           "DEADLINE_EXCEEDED",
                                           "NOT_FOUND",
                                           "ALREADY_EXISTS",
                                           "PERMISSION_DENIED",
                                           "RESOURCE_EXHAUSTED",
                                           "FAILED_PRECONDITION",
                                           "ABORTED",
                                           "OUT_OF_RANGE",
                                           "UNIMPLEMENTED",
                                           "INTERNAL",
                                           "UNAVAILABLE",
                                           "DATA_LOSS",
                                           "UNAUTHENTICATED"};
static_assert(std::size(kMethodNames) == kMethods);
static_assert(std::size(kStageNames) == kStages);
static_assert(std::size(kCodeNames) == kStatusCodes);

}  // namespace

std::string_view NameOf(Method method) {
  return kMethodNames[static_cast<size_t>(method)];
}

std::string_view NameOf(Stage stage) {
  return kStageNames[static_cast<size_t>(stage)];
}

std::string_view NameOfCode(int code) {
  return code >= 0 && code < kStatusCodes ? kCodeNames[code] : kCodeNames[2];
}

void TimeHistogram::Observe(std::chrono::nanoseconds time) {
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  counts_[static_cast<size_t>(bound - kBounds.begin())].Add();
  sum_ns_.Add(time.count());
}

double TimeHistogram::sum_seconds() const {
  return std::chrono::duration<double>(
             std::chrono::nanoseconds(sum_ns_.value()))
      .count();
}

void CountRefused(std::string_view reason, Metrics* metrics) {
  // A limit that is exceeded while a clip is read has a code of its own.
  if (reason.starts_with("LIMIT_")) reason = "LIMIT_EXCEEDED";
  const auto known =
      std::find(kRefusals.begin(), std::prev(kRefusals.end()), reason);
  metrics->refused[static_cast<size_t>(known - kRefusals.begin())].Add();
}

void CountClip(const ConvertResult& result, Metrics* metrics) {
  (result.status.ok() ? metrics->good_clips : metrics->failed_clips).Add();
  metrics->frames.Add(result.info.frames);
  metrics->joint_frames.Add(result.info.frames * result.info.joint_count);
  const StageTimes& times = result.times;
  const std::pair<Stage, std::chrono::nanoseconds> stages[] = {
      {Stage::kQueue, times.queued},      {Stage::kRead, times.read},
      {Stage::kValidate, times.validate}, {Stage::kEdit, times.edit},
      {Stage::kSolve, times.solve},       {Stage::kEncode, times.encode}};
  for (const auto& [stage, time] : stages) metrics->stage(stage).Observe(time);
}

}  // namespace bvhmill::server
