#include "server/rpc/server_service.h"

#include <string>
#include <string_view>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/version.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/catalogue.h"
#include "bvhmill/wire/source.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

void PutTransportLimits(const ServerConfig& config, v1::Limits* out) {
  const TransportLimits& transport = config.transport;
  out->set_max_received_message_bytes(MaxReceivedBytes(config.service));
  out->set_max_streams_per_connection(transport.max_streams_per_connection);
  out->set_max_transport_bytes(transport.max_transport_bytes);
  out->set_max_connection_age_seconds(transport.max_connection_age_seconds);
  out->set_max_connection_age_grace_seconds(
      transport.max_connection_age_grace_seconds);
  out->set_keepalive_seconds(transport.keepalive_seconds);
  out->set_keepalive_timeout_seconds(transport.keepalive_timeout_seconds);
  out->set_min_ping_seconds(transport.min_ping_seconds);
  out->set_handshake_seconds(transport.handshake_seconds);
  out->set_max_stray_bytes(transport.max_stray_bytes);
  out->set_max_request_seconds(transport.max_request_seconds);
}

// Limits per caller are those of `caller`, which has none without a token.
void PutAdmissionLimits(const AdmissionLimits& limits, const Caller& caller,
                        v1::Limits* out) {
  out->set_max_inflight_clips(limits.max_inflight_clips);
  out->set_max_inflight_bytes(limits.max_inflight_bytes);
  out->set_max_streams(limits.max_streams);
  out->set_max_inflight_clips_per_connection(
      limits.max_inflight_clips_per_connection);
  out->set_max_inflight_bytes_per_connection(
      limits.max_inflight_bytes_per_connection);
  if (caller.name.empty()) return;
  out->set_max_inflight_clips_per_caller(
      caller.max_clips > 0 ? caller.max_clips
                           : limits.max_inflight_clips_per_caller);
  out->set_max_inflight_bytes_per_caller(
      caller.max_bytes > 0 ? caller.max_bytes
                           : limits.max_inflight_bytes_per_caller);
  out->set_max_streams_per_caller(limits.max_streams_per_caller);
}

void PutLimits(const ServerConfig& config, const Caller& caller,
               v1::Limits* out) {
  const ServiceLimits& service = config.service;
  out->set_max_request_message_bytes(service.max_request_message_bytes);
  out->set_max_unary_response_bytes(service.max_unary_response_bytes);
  out->set_recommended_chunk_bytes(service.chunk_bytes);
  out->set_max_unfinished_clips_per_stream(
      static_cast<int32_t>(service.max_unfinished_clips_per_stream));
  out->set_max_unfinished_bytes_per_stream(
      service.max_unfinished_bytes_per_stream);
  out->set_max_unsent_bytes_per_stream(service.max_unsent_bytes_per_stream);
  out->set_max_stream_bytes(service.max_stream_bytes);
  out->set_stream_idle_seconds(service.idle_seconds);
  out->set_stream_idle_between_seconds(service.idle_between_seconds);
  out->set_min_upload_bytes_per_second(service.min_upload_bytes_per_second);
  const Limits& clip = config.limits;
  out->set_max_clip_bytes(clip.max_clip_bytes);
  out->set_max_frames(clip.max_frames);
  out->set_max_joints(static_cast<int32_t>(clip.max_joints));
  out->set_max_outputs_per_clip(static_cast<int32_t>(clip.max_outputs));
  out->set_max_issues_per_report(static_cast<int32_t>(clip.max_issues));
  out->set_max_channels(clip.max_channels);
  out->set_max_depth(clip.max_depth);
  out->set_max_header_bytes(clip.max_header_bytes);
  out->set_max_line_bytes(clip.max_line_bytes);
  out->set_max_name_bytes(clip.max_name_bytes);
  out->set_max_output_bytes(clip.max_output_bytes);
  out->set_max_clip_memory_bytes(clip.max_memory_bytes);
  out->set_max_clip_work(clip.max_work);
  out->set_max_clip_work_per_byte(clip.max_work_per_byte);
  PutAdmissionLimits(config.admission, caller, out);
  PutTransportLimits(config, out);
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

}  // namespace

grpc::ServerUnaryReactor* ServerService::GetServerInfo(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = call->DefaultReactor();
  CallRecord record(parts_.record, Method::kGetServerInfo, call);
  absl::Status status = record.Enter();
  if (status.ok()) {
    parts_.peers.MarkActive(record.peer());
    status = CatchAsStatus(parts_.record.log, "GetServerInfo", [&] {
      return Answer(*record.caller(), *request, response);
    });
  }
  record.Finishing(status);
  record.Done(/*cancelled=*/false);
  reactor->Finish(ToGrpc(status));
  return reactor;
}

absl::Status ServerService::Answer(const Caller& caller,
                                   grpc::ByteBuffer request,
                                   grpc::ByteBuffer* response) {
  v1::GetServerInfoRequest message;
  int64_t beside = 0;
  const absl::Status status =
      ReadMessage(parts_.config, {}, &request, &message, &beside);
  if (!status.ok()) return status;
  v1::GetServerInfoResponse info;
  Describe(caller, &info);
  ToBytes(info, response);
  return absl::OkStatus();
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
