#include "server/observe/metrics.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/report/report.h"

namespace bvhmill::server {
namespace {

constexpr std::string_view kMethodNames[] = {
    "ValidateClip",   "ConvertClip",      "ConvertClips", "GetServerInfo",
    "ListIssues",     "CreateJob",        "GetJob",       "ListJobs",
    "ListJobResults", "WaitJob",          "CancelJob",    "DeleteJob",
    "ListUsage",      "FindMissingBlobs", "WriteBlob",    "ReadBlob",
    "DeleteBlob",     "unknown"};
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
// The reasons of docs/api.md, sections 4 to 6, except the codes of issues.
constexpr std::string_view kReasons[] = {
    "BLOBS_MISSING",
    "BLOBS_UNAVAILABLE",
    "BLOB_NAMED",
    "BLOB_UNKNOWN",
    "CALLER_BUSY",
    "CLIP_BROKEN",
    "CONNECTION_BUSY",
    "DATABASE_UNAVAILABLE",
    "DATA_UNUSABLE",
    "DIGEST_MISMATCH",
    "DISK_FULL",
    "EDIT_DOES_NOT_FIT",
    "ENCODING_BROKEN",
    "ENCODING_UNKNOWN",
    "FIELD_INVALID",
    "FRAME_RATE_UNKNOWN",
    "ITEM_SET_ASIDE",
    "JOBS_BUSY",
    "JOBS_OFF",
    "JOB_CANCELLED",
    "JOB_DAMAGED",
    "JOB_NOT_OVER",
    "JOB_UNKNOWN",
    "LIMIT_EXCEEDED",
    "MESSAGE_BROKEN",
    "METHOD_UNKNOWN",
    "NAMES_HELD",
    "OFFSET_WRONG",
    "OUTPUT_IMPOSSIBLE",
    "REQUEST_ID_USED",
    "REQUEST_SLOW",
    "RESPONSE_TOO_LARGE",
    "SCOPE_MISSING",
    "SERVER_BUSY",
    "SERVER_FAULT",
    "SERVER_STOPPING",
    "SOURCE_CONVENTION_UNKNOWN",
    "SOURCE_FORMAT_UNKNOWN",
    "STORE_FAULT",
    "STREAM_IDLE",
    "STREAM_OUT_OF_ORDER",
    "STREAM_SLOW",
    "TOKEN_UNKNOWN",
    "UPLOAD_RUNNING",
};
// Why a connection was cut: its peer does not accept what is sent to it; it has
// the most calls while there are too many; the server ends.
constexpr std::string_view kCuts[] = {"accepts_nothing", "too_many_calls",
                                      "drain"};
static_assert(std::size(kMethodNames) == kMethods);
static_assert(std::size(kStageNames) == kStages);
static_assert(std::size(kCodeNames) == kStatusCodes);

// The reasons of the server, and the names of codes for statuses without one.
std::vector<std::string_view> Reasons() {
  std::vector<std::string_view> all(std::begin(kReasons), std::end(kReasons));
  // Not OK.
  all.insert(all.end(), std::begin(kCodeNames) + 1, std::end(kCodeNames));
  return all;
}

// The same, and the codes of the catalogue of issues.
std::vector<std::string_view> ClipReasons() {
  std::vector<std::string_view> all = Reasons();
  for (const CatalogueEntry& entry : Catalogue()) all.push_back(entry.name);
  return all;
}

}  // namespace

std::string_view NameOf(Method method) {
  return kMethodNames[static_cast<size_t>(method)];
}

bool IsStream(Method method) {
  return method == Method::kConvertClips || method == Method::kWriteBlob ||
         method == Method::kReadBlob || method == Method::kWaitJob;
}

std::string_view NameOf(Stage stage) {
  return kStageNames[static_cast<size_t>(stage)];
}

std::string_view NameOfCode(int code) {
  return code >= 0 && code < kStatusCodes ? kCodeNames[code] : kCodeNames[2];
}

std::string ReasonOf(const absl::Status& status) {
  const std::string reason = CallErrorOf(status).reason;
  if (!reason.empty()) return reason;
  return std::string(NameOfCode(static_cast<int>(status.code())));
}

LabelledCounter::LabelledCounter(std::vector<std::string_view> values)
    : values_(std::move(values)), counts_(values_.size() + 1) {
  values_.emplace_back("OTHER");
}

size_t LabelledCounter::IndexOf(std::string_view value) const {
  const auto known = std::find(values_.begin(), values_.end() - 1, value);
  return static_cast<size_t>(known - values_.begin());
}

void LabelledCounter::Add(std::string_view value, int64_t times) {
  counts_[IndexOf(value)].Add(times);
}

int64_t LabelledCounter::count(std::string_view value) const {
  return counts_[IndexOf(value)].value();
}

CallerCounters& CallerTable::Of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  return by_name_[by_name_.size() < kMaxNames ? name : "OTHER"];
}

Metrics::Metrics()
    : refused(Reasons()),
      cut_connections({std::begin(kCuts), std::end(kCuts)}),
      failed_clips(ClipReasons()) {}

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
  metrics->refused.Add(reason);
}

void CountClip(const ConvertResult& result, Metrics* metrics) {
  if (result.status.ok()) {
    metrics->good_clips.Add();
  } else {
    metrics->failed_clips.Add(ReasonOf(result.status));
  }
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
