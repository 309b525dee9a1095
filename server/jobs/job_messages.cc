#include "server/jobs/job_messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/unpack/decoder.h"
#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/result.pb.h"
#include "bvhmill/wire/status.h"
#include "server/convert/source.h"
#include "server/rpc/errors.h"
#include "server/store/job_store.h"

namespace bvhmill::server {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxRequestIdBytes = 128;
constexpr size_t kMaxAnnotations = 64;
constexpr size_t kMaxAnnotationBytes = size_t{8} << 10;
constexpr int kUsualPage = 100;
constexpr int kLargestPage = 1000;
constexpr std::string_view kJobPrefix = "jobs/";
constexpr std::string_view kBlobPrefix = "blobs/";

// The bytes of a message; equal messages have equal bytes.
std::string Serialized(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  return bytes;
}

// The bytes of the options of an item. They are never empty, since no bytes
// mean the options of the job: an empty `read` is equal to none.
std::string SerializedOptions(const v1::ConvertOptions& options) {
  std::string bytes = Serialized(options);
  if (!bytes.empty()) return bytes;
  v1::ConvertOptions same;
  same.mutable_read();
  return Serialized(same);
}

void SetTime(int64_t ms, google::protobuf::Timestamp* time) {
  time->set_seconds(ms / 1000);
  time->set_nanos(static_cast<int32_t>(ms % 1000) * 1'000'000);
}

// Checks options. Sets `outputs` to the number of outputs that they request.
absl::Status CheckOptionsOf(const ServerConfig& config,
                            const v1::ConvertOptions& message,
                            int64_t* outputs) {
  ConvertOptions options;
  BVHMILL_RETURN_IF_ERROR(ReadClipOptions(config.limits, message, &options));
  *outputs = static_cast<int64_t>(options.outputs.size());
  return absl::OkStatus();
}

absl::Status ReadItem(const ServerConfig& config, const std::string& field,
                      const v1::JobItem& message, NewItem* item) {
  if (message.key().empty()) return InvalidField(field + ".key", "is empty");
  BVHMILL_RETURN_IF_ERROR(
      CheckBytes(field + ".key", message.key().size(), kMaxClipKeyBytes));
  const v1::BlobSource& source = message.source();
  BVHMILL_RETURN_IF_ERROR(
      ReadBlobName(field + ".source.blob", source.blob(), &item->blob));
  BVHMILL_RETURN_IF_ERROR(CheckBytes(field + ".source.display_name",
                                     source.display_name().size(),
                                     4 * kMaxNameBytes));
  Encoding encoding = Encoding::kIdentity;
  SourceFormat format = SourceFormat::kBvh;
  absl::Status read = ReadEncoding(source.encoding(), &encoding);
  if (read.ok()) read = ReadFormat(source.format(), &format);
  if (!read.ok()) return InsideField(field, read);
  item->key = message.key();
  item->encoding = source.encoding();
  item->format = source.format();
  item->display_name = source.display_name();
  if (!message.has_options()) return absl::OkStatus();
  const absl::Status checked =
      CheckOptionsOf(config, message.options(), &item->outputs);
  if (!checked.ok()) return InsideField(field, checked);
  item->options = SerializedOptions(message.options());
  return absl::OkStatus();
}

absl::Status CheckTexts(const v1::CreateJobRequest& request) {
  BVHMILL_RETURN_IF_ERROR(
      CheckBytes("display_name", request.display_name().size(), kMaxNameBytes));
  BVHMILL_RETURN_IF_ERROR(CheckBytes("request_id", request.request_id().size(),
                                     kMaxRequestIdBytes));
  BVHMILL_RETURN_IF_ERROR(
      CheckCount("annotations", static_cast<size_t>(request.annotations_size()),
                 kMaxAnnotations));
  size_t bytes = 0;
  for (const auto& [key, value] : request.annotations()) {
    bytes += key.size() + value.size();
  }
  return CheckBytes("annotations", bytes, kMaxAnnotationBytes);
}

absl::Status ReadItems(const ServerConfig& config,
                       const v1::CreateJobRequest& request,
                       const CancelToken& cancel, int64_t outputs, NewJob* job,
                       std::vector<std::string>* blobs) {
  std::set<std::string_view> keys;
  std::set<std::string_view> digests;
  job->items.resize(static_cast<size_t>(request.items_size()));
  for (int i = 0; i < request.items_size(); ++i) {
    if (cancel.IsCancelled()) return absl::CancelledError("");
    const std::string field = "items[" + std::to_string(i) + "]";
    NewItem& item = job->items[static_cast<size_t>(i)];
    item.outputs = outputs;
    BVHMILL_RETURN_IF_ERROR(ReadItem(config, field, request.items(i), &item));
    if (!keys.insert(item.key).second) {
      return InvalidField(field + ".key", "is that of another item");
    }
    if (digests.insert(item.blob).second) blobs->push_back(item.blob);
  }
  return absl::OkStatus();
}

// True if `bytes` parse as a Message.
template <typename Message>
bool Reads(std::string_view bytes) {
  Message message;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

absl::Status ReadNewJob(const ServerConfig& config,
                        const v1::CreateJobRequest& request,
                        const CancelToken& cancel, NewJob* job,
                        std::vector<std::string>* blobs) {
  const int64_t count = request.items_size();
  if (Exceeds(count, config.jobs.max_items_per_job)) {
    return LimitExceeded("max_items_per_job", config.jobs.max_items_per_job,
                         count);
  }
  if (count == 0) return InvalidField("items", "is empty");
  BVHMILL_RETURN_IF_ERROR(CheckTexts(request));
  int64_t outputs = 0;
  BVHMILL_RETURN_IF_ERROR(CheckOptionsOf(config, request.options(), &outputs));
  BVHMILL_RETURN_IF_ERROR(
      ReadItems(config, request, cancel, outputs, job, blobs));
  job->display_name = request.display_name();
  job->options = Serialized(request.options());
  v1::Job annotations;
  *annotations.mutable_annotations() = request.annotations();
  job->annotations = Serialized(annotations);
  job->request_id = request.request_id();
  v1::CreateJobRequest content = request;
  content.clear_request_id();
  job->request_digest = Sha256Of(Serialized(content));
  return absl::OkStatus();
}

void WriteJob(const JobInfo& job, const JobLimits& limits,
              const absl::Status& blocked, v1::Job* message) {
  if (!message->ParseFromString(job.annotations)) {
    message->Clear();
    *message->mutable_error() = wire::ToProto(JobDamaged("annotations"));
  }
  message->set_name(std::string(kJobPrefix) + job.id);
  message->set_display_name(job.display_name);
  message->set_state(static_cast<v1::JobState>(job.state));
  v1::ItemCounts* const items = message->mutable_items();
  items->set_total(job.total);
  items->set_ok(job.ok);
  items->set_failed(job.failed);
  items->set_running(job.running);
  items->set_set_aside(job.set_aside);
  SetTime(job.create_ms, message->mutable_create_time());
  if (job.start_ms > 0) SetTime(job.start_ms, message->mutable_start_time());
  if (!blocked.ok()) *message->mutable_blocked() = wire::ToProto(blocked);
  if (job.end_ms == 0) return;
  SetTime(job.end_ms, message->mutable_end_time());
  if (limits.job_retention_seconds > 0) {
    SetTime(job.end_ms + 1000 * Seconds(limits.job_retention_seconds).count(),
            message->mutable_expire_time());
  }
  // JOB_DAMAGED stays: the state shows the cancellation, but only the error
  // shows the damage.
  if (job.state == JobState::kCancelled && !message->has_error()) {
    *message->mutable_error() = wire::ToProto(
        MakeCallError({.code = absl::StatusCode::kCancelled,
                       .reason = "JOB_CANCELLED",
                       .message = "the job was cancelled by its caller"}));
  }
}

void LeaveOutLargeParts(v1::ClipResult* result) {
  if (result->info().joints_size() > 0) {
    result->mutable_info()->clear_joints();
    result->add_left_out("info.joints");
  }
  if (result->report().issues_size() > 0) {
    result->mutable_report()->clear_issues();
    result->mutable_report()->set_truncated(true);
    result->add_left_out("report.issues");
  }
  if (result->has_measures()) {
    result->clear_measures();
    result->add_left_out("measures");
  }
}

absl::Status JobDamaged(const std::string& what) {
  return MakeCallError({.code = absl::StatusCode::kDataLoss,
                        .reason = "JOB_DAMAGED",
                        .args = {{"what", what}},
                        .message = "the stored " + what +
                                   " of the job is damaged; tell the operator "
                                   "of the server"});
}

bool IsStoredMessage(StoredMessage kind, std::string_view bytes) {
  switch (kind) {
    case StoredMessage::kOptions:
      return Reads<v1::ConvertOptions>(bytes);
    case StoredMessage::kAnnotations:
      return Reads<v1::Job>(bytes);
    case StoredMessage::kResult:
      return Reads<v1::ClipResult>(bytes);
  }
  return false;
}

absl::Status ReadJobName(const std::string& name, std::string* id) {
  if (name.starts_with(kJobPrefix)) {
    *id = name.substr(kJobPrefix.size());
    const bool may_be = std::all_of(id->begin(), id->end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    return may_be ? absl::OkStatus() : NoJob(*id);
  }
  return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                        .reason = std::string(kFieldInvalid),
                        .field = "name",
                        .message = "is not jobs/ID"});
}

absl::Status ReadBlobName(const std::string& field, const std::string& name,
                          std::string* digest) {
  if (name.starts_with(kBlobPrefix)) {
    *digest = name.substr(kBlobPrefix.size());
    if (IsSha256(*digest)) return absl::OkStatus();
  }
  return InvalidField(field,
                      "is not blobs/ and a SHA-256 of 64 lower-case "
                      "hexadecimal digits");
}

absl::Status ReadPageSize(int32_t size, int* limit) {
  if (size < 0) return InvalidField("page_size", "is negative");
  *limit = size == 0 ? kUsualPage : std::min<int>(size, kLargestPage);
  return absl::OkStatus();
}

absl::Status ReadPageToken(const std::string& token, int64_t least,
                           int64_t* value) {
  if (token.empty()) return absl::OkStatus();
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, *value);
  const bool is_good = error == std::errc() && stop == end && *value >= least &&
                       token == std::to_string(*value);
  return is_good ? absl::OkStatus()
                 : InvalidField("page_token", "was not given by this server");
}

}  // namespace bvhmill::server
