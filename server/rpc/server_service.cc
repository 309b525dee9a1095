#include "server/rpc/server_service.h"

#include <limits>
#include <string>
#include <string_view>

#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/version.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/report.h"
#include "bvhmill/wire/options.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/free_call.h"

namespace bvhmill::server {
namespace {

// Sets the field of a limit that GetServerInfo shows. A field of 32 bits needs
// a limit that fits it.
#define BVHMILL_PUT_Shown(name, limit, range)                         \
  static_assert(sizeof(out->name()) == sizeof(int64_t) ||             \
                (range).most <= std::numeric_limits<int32_t>::max()); \
  out->set_##name(static_cast<decltype(out->name())>(limit));
#define BVHMILL_PUT_Hidden(name, limit, range)

void PutLimits(const Limits& limits, v1::Limits* out) {
#define BVHMILL_CLIP_LIMIT(name, value, unit, range, setter, shown, ...) \
  BVHMILL_PUT_##shown(name, limits.name, range)
#include "bvhmill/base/limits.inc"
}

void PutLimits(const ServiceLimits& limits, v1::Limits* out) {
#define BVHMILL_SERVICE_LIMIT(name, value, unit, range, setter, shown, ...) \
  BVHMILL_PUT_##shown(name, limits.name, range)
#include "server/limits/limits.inc"
}

void PutLimits(const AdmissionLimits& limits, v1::Limits* out) {
#define BVHMILL_ADMISSION_LIMIT(name, value, unit, range, setter, shown, ...) \
  BVHMILL_PUT_##shown(name, limits.name, range)
#include "server/limits/limits.inc"
}

void PutLimits(const TransportLimits& limits, v1::Limits* out) {
#define BVHMILL_TRANSPORT_LIMIT(name, value, unit, range, setter, shown, ...) \
  BVHMILL_PUT_##shown(name, limits.name, range)
#include "server/limits/limits.inc"
}

void PutLimits(const JobLimits& limits, v1::Limits* out) {
#define BVHMILL_JOB_LIMIT(name, value, unit, range, setter, shown, ...) \
  BVHMILL_PUT_##shown(name, limits.name, range)
#include "server/limits/limits.inc"
}

#undef BVHMILL_PUT_Shown
#undef BVHMILL_PUT_Hidden

// The limits that hold for `caller`: its quotas instead of the limits per
// caller. A caller without a token has no limits per caller.
AdmissionLimits LimitsOf(const Caller& caller, AdmissionLimits limits) {
  if (caller.name.empty()) {
    limits.max_inflight_clips_per_caller = 0;
    limits.max_inflight_bytes_per_caller = 0;
    limits.max_streams_per_caller = 0;
    return limits;
  }
  if (caller.max_clips > 0) {
    limits.max_inflight_clips_per_caller = caller.max_clips;
  }
  if (caller.max_bytes > 0) {
    limits.max_inflight_bytes_per_caller = caller.max_bytes;
  }
  return limits;
}

void PutLimits(const ServerConfig& config, const Caller& caller,
               v1::Limits* out) {
  PutLimits(config.limits, out);
  PutLimits(config.service, out);
  PutLimits(LimitsOf(caller, config.admission), out);
  PutLimits(config.transport, out);
  PutLimits(LimitsOf(caller, config.jobs), out);
  out->set_max_received_message_bytes(MaxReceivedBytes(config.service));
}

void PutBounds(v1::Limits* out) {
  out->set_max_option_bytes(kMaxOptionBytes);
  out->set_max_joint_names(kMaxJointNames);
  out->set_max_joint_name_bytes(kMaxJointNameBytes);
  out->set_max_codes(kMaxCodes);
  out->set_max_joint_priorities(kMaxJointPriorities);
  out->set_max_output_id_bytes(kMaxOutputIdBytes);
  out->set_max_clip_key_bytes(kMaxClipKeyBytes);
}

void PutIssues(v1::ListIssuesResponse* response) {
  for (const CatalogueEntry& entry : Catalogue()) {
    v1::IssueInfo* const info = response->add_issues();
    info->set_code(std::string(entry.name));
    info->set_severity(static_cast<v1::Severity>(entry.lenient));
    info->set_strict_severity(static_cast<v1::Severity>(entry.strict));
    info->set_title(std::string(entry.title));
    info->set_message(std::string(entry.message));
    info->set_help(std::string(entry.help));
  }
}

}  // namespace

ServerService::ServerService(const Parts& parts) : parts_(parts) {
  Add("/bvhmill.v1.ServerService/GetServerInfo", [this](auto* call) {
    return Answer<v1::GetServerInfoRequest, v1::GetServerInfoResponse>(
        call, Method::kGetServerInfo,
        [this](const Caller& caller, v1::GetServerInfoResponse* response) {
          Describe(caller, response);
        });
  });
  Add("/bvhmill.v1.ServerService/ListIssues", [this](auto* call) {
    return Answer<v1::ListIssuesRequest, v1::ListIssuesResponse>(
        call, Method::kListIssues,
        [](const Caller& /*caller*/, v1::ListIssuesResponse* response) {
          PutIssues(response);
        });
  });
}

// Answers a call whose request has no fields.
template <typename Request, typename Response, typename Fill>
RawReactor* ServerService::Answer(grpc::CallbackServerContext* call,
                                  Method method, Fill fill) {
  const auto answer = [this, call, method, fill](grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* bytes) {
    CallRecord record(parts_.record, method, call);
    absl::Status status = record.Enter();
    Request message;
    int64_t beside = 0;
    if (status.ok()) {
      status = ReadMessage(parts_.config, {}, request, &message, &beside);
    }
    if (status.ok()) {
      Response response;
      fill(*record.caller(), &response);
      ToBytes(response, bytes);
    }
    record.Finishing(status);
    record.Done(/*cancelled=*/false);
    return status;
  };
  return AnswerAtOnce(
      {parts_.record.log, parts_.connections, parts_.calls,
       parts_.small_requests, Seconds(parts_.config.service.idle_seconds)},
      call, answer);
}

void ServerService::Describe(const Caller& caller,
                             v1::GetServerInfoResponse* response) {
  response->set_server_version(std::string(Version()));
  response->add_api_packages("bvhmill.v1");
  response->set_rules_version(std::string(kRulesVersion));
  PutLimits(parts_.config, caller, response->mutable_limits());
  PutBounds(response->mutable_limits());
  response->mutable_limits()->set_max_connections(parts_.connections.most());
  for (const Format& format : Formats()) {
    v1::FormatInfo* info = response->add_formats();
    info->set_format(std::string(format.name));
    info->set_media_type(std::string(format.media_type));
    info->set_file_extension(std::string(format.extension));
  }
  for (const SourceFormatInfo& format : SourceFormats()) {
    wire::ToProto(format, response->add_source_formats());
  }
  for (const std::string_view name : JointMapNames()) {
    response->add_joint_maps(std::string(name));
  }
  for (const auto encoding :
       {v1::CONTENT_ENCODING_IDENTITY, v1::CONTENT_ENCODING_GZIP,
        v1::CONTENT_ENCODING_ZSTD}) {
    response->add_encodings(encoding);
  }
  v1::Build* build = response->mutable_build();
  build->set_git_commit(std::string(GitCommit()));
  build->set_compiler(std::string(Compiler()));
  build->set_worker_threads(parts_.queue.threads());
}

}  // namespace bvhmill::server
