#include "tests/server/config_text.h"

#include <gtest/gtest.h>

namespace bvhmill::testing {
namespace {

class Lines {
 public:
  template <typename T>
  void Add(const std::string& name, const T& value) {
    text_ += name + " = " + ::testing::PrintToString(value) + "\n";
  }
  void Add(const std::string& name, const std::string& value) {
    text_ += name + " = " + value + "\n";
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void Put(const Limits& limits, Lines* out) {
  const auto& [max_clip_bytes, max_header_bytes, max_line_bytes, max_name_bytes,
               max_joints, max_depth, max_channels, max_frames, max_issues,
               max_outputs, max_output_bytes, max_memory_bytes, max_work,
               max_work_per_byte] = limits;
  out->Add("limits.max_clip_bytes", max_clip_bytes);
  out->Add("limits.max_header_bytes", max_header_bytes);
  out->Add("limits.max_line_bytes", max_line_bytes);
  out->Add("limits.max_name_bytes", max_name_bytes);
  out->Add("limits.max_joints", max_joints);
  out->Add("limits.max_depth", max_depth);
  out->Add("limits.max_channels", max_channels);
  out->Add("limits.max_frames", max_frames);
  out->Add("limits.max_issues", max_issues);
  out->Add("limits.max_outputs", max_outputs);
  out->Add("limits.max_output_bytes", max_output_bytes);
  out->Add("limits.max_memory_bytes", max_memory_bytes);
  out->Add("limits.max_work", max_work);
  out->Add("limits.max_work_per_byte", max_work_per_byte);
}

void Put(const server::ServiceLimits& limits, Lines* out) {
  const auto& [max_request_message_bytes, max_unary_response_bytes, chunk_bytes,
               max_unfinished_clips_per_stream, max_unfinished_bytes_per_stream,
               max_unsent_bytes_per_stream, max_stream_bytes, idle_seconds,
               idle_between_seconds, min_upload_bytes_per_second] = limits;
  out->Add("service.max_request_message_bytes", max_request_message_bytes);
  out->Add("service.max_unary_response_bytes", max_unary_response_bytes);
  out->Add("service.chunk_bytes", chunk_bytes);
  out->Add("service.max_unfinished_clips_per_stream",
           max_unfinished_clips_per_stream);
  out->Add("service.max_unfinished_bytes_per_stream",
           max_unfinished_bytes_per_stream);
  out->Add("service.max_unsent_bytes_per_stream", max_unsent_bytes_per_stream);
  out->Add("service.max_stream_bytes", max_stream_bytes);
  out->Add("service.idle_seconds", idle_seconds);
  out->Add("service.idle_between_seconds", idle_between_seconds);
  out->Add("service.min_upload_bytes_per_second", min_upload_bytes_per_second);
}

void Put(const server::AdmissionLimits& limits, Lines* out) {
  const auto& [clips, bytes, clips_per_connection, bytes_per_connection,
               clips_per_caller, bytes_per_caller, streams, streams_per_caller,
               fair] = limits;
  // Follows from the others: no flag sets it.
  static_cast<void>(fair);
  out->Add("admission.max_inflight_clips", clips);
  out->Add("admission.max_inflight_bytes", bytes);
  out->Add("admission.max_inflight_clips_per_connection", clips_per_connection);
  out->Add("admission.max_inflight_bytes_per_connection", bytes_per_connection);
  out->Add("admission.max_inflight_clips_per_caller", clips_per_caller);
  out->Add("admission.max_inflight_bytes_per_caller", bytes_per_caller);
  out->Add("admission.max_streams", streams);
  out->Add("admission.max_streams_per_caller", streams_per_caller);
}

void Put(const server::TransportLimits& limits, Lines* out) {
  const auto& [max_streams_per_connection, max_transport_bytes,
               max_connection_age_seconds, max_connection_age_grace_seconds,
               keepalive_seconds, keepalive_timeout_seconds, min_ping_seconds,
               max_connections, handshake_seconds, max_stray_bytes,
               max_request_seconds] = limits;
  out->Add("transport.max_streams_per_connection", max_streams_per_connection);
  out->Add("transport.max_transport_bytes", max_transport_bytes);
  out->Add("transport.max_connection_age_seconds", max_connection_age_seconds);
  out->Add("transport.max_connection_age_grace_seconds",
           max_connection_age_grace_seconds);
  out->Add("transport.keepalive_seconds", keepalive_seconds);
  out->Add("transport.keepalive_timeout_seconds", keepalive_timeout_seconds);
  out->Add("transport.min_ping_seconds", min_ping_seconds);
  out->Add("transport.max_connections", max_connections);
  out->Add("transport.handshake_seconds", handshake_seconds);
  out->Add("transport.max_stray_bytes", max_stray_bytes);
  out->Add("transport.max_request_seconds", max_request_seconds);
}

std::string NameOf(server::LogFormat format) {
  switch (format) {
    case server::LogFormat::kOff:
      return "off";
    case server::LogFormat::kErrors:
      return "errors";
    case server::LogFormat::kText:
      return "text";
    case server::LogFormat::kJson:
      return "json";
  }
  return "?";
}

}  // namespace

std::string ConfigText(const server::ServerConfig& config) {
  const auto& [listen, insecure, tls_cert, tls_key, tls_client_ca, token_file,
               threads, drain_seconds, metrics, log, reflection, limits,
               service, admission, transport, check_config, hash_token] =
      config;
  Lines out;
  out.Add("listen", listen);
  out.Add("insecure", insecure);
  out.Add("tls_cert", tls_cert);
  out.Add("tls_key", tls_key);
  out.Add("tls_client_ca", tls_client_ca);
  out.Add("token_file", token_file);
  out.Add("threads", threads);
  out.Add("drain_seconds", drain_seconds);
  out.Add("metrics", metrics);
  out.Add("log", NameOf(log));
  out.Add("reflection", reflection);
  Put(limits, &out);
  Put(service, &out);
  Put(admission, &out);
  Put(transport, &out);
  out.Add("check_config", check_config);
  out.Add("hash_token", hash_token);
  return out.Take();
}

}  // namespace bvhmill::testing
