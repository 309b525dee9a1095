#include "server/app/flags.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace bvhmill::server {
namespace {

constexpr char kLimits[] = "Limits (0 = none)";

template <typename T>
void AddFlag(CLI::App* app, const std::string& name, T* value,
             const std::string& help) {
  app->add_option("--" + name, *value, help)->capture_default_str();
}

void AddLimit(CLI::App* app, const std::string& name, int64_t* value,
              const std::string& help) {
  AddFlag(app, name, value, help);
  CLI::Option* option = app->get_option("--" + name);
  option->check(CLI::NonNegativeNumber)->group(kLimits);
}

// A limit that also takes the word "auto", its default.
void AddMemoryLimit(CLI::App* app, const std::string& name, int64_t* value,
                    const std::string& help) {
  AddFlag(app, name, value, help);
  const auto read = [](std::string& text) -> std::string {
    if (text == "auto") {
      text = std::to_string(kAuto);
      return "";
    }
    const bool is_number =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
          return c >= '0' && c <= '9';
        });
    return is_number
               ? ""
               : "Value " + text + " is neither a number of bytes nor auto";
  };
  app->get_option("--" + name)
      ->transform(CLI::Validator(read, ""))
      ->default_str("auto")
      ->group(kLimits);
}

void AddClipLimits(CLI::App* app, Limits* limits) {
  Limits& clip = *limits;
  AddLimit(app, "max-clip-bytes", &clip.max_clip_bytes, "BVH text of a clip");
  AddLimit(app, "max-header-bytes", &clip.max_header_bytes,
           "what stands before its rows");
  AddLimit(app, "max-line-bytes", &clip.max_line_bytes, "a line of it");
  AddLimit(app, "max-name-bytes", &clip.max_name_bytes, "a joint's name");
  AddLimit(app, "max-joints", &clip.max_joints, "joints and end sites");
  AddLimit(app, "max-depth", &clip.max_depth, "nesting of joints");
  AddLimit(app, "max-channels", &clip.max_channels, "values in a frame");
  AddLimit(app, "max-frames", &clip.max_frames, "frames of a clip");
  AddLimit(app, "max-issues", &clip.max_issues, "issues a report lists");
  AddLimit(app, "max-outputs", &clip.max_outputs, "outputs of a request");
  AddLimit(app, "max-output-bytes", &clip.max_output_bytes,
           "all outputs of a clip");
  AddLimit(app, "max-clip-memory-bytes", &clip.max_memory_bytes,
           "memory that converting a clip takes");
  AddLimit(app, "max-clip-work", &clip.max_work,
           "work on any clip, in about nanoseconds of a core");
  AddLimit(app, "max-clip-work-per-byte", &clip.max_work_per_byte,
           "more work for each byte of a clip as it came");
}

// What messages have 32 bits for.
void CheckSmallLimits(CLI::App* app) {
  for (const char* name : {"--max-joints", "--max-issues", "--max-outputs",
                           "--max-stream-clips"}) {
    app->get_option(name)->check(
        CLI::Range(int64_t{0}, int64_t{std::numeric_limits<int32_t>::max()}));
  }
}

void AddServiceLimits(CLI::App* app, ServerConfig* config) {
  ServiceLimits& service = config->service;
  AddLimit(app, "max-request-bytes", &service.max_request_message_bytes,
           "a request message");
  AddLimit(app, "max-response-bytes", &service.max_unary_response_bytes,
           "the answer of a unary call");
  AddLimit(app, "max-stream-clips", &service.max_unfinished_clips_per_stream,
           "unfinished clips of a stream");
  AddLimit(app, "max-stream-bytes", &service.max_unfinished_bytes_per_stream,
           "text of a stream that waits to be read");
  AddLimit(app, "max-unsent-bytes", &service.max_unsent_bytes_per_stream,
           "outputs of a stream that wait to be sent");
  AddLimit(app, "max-streams-bytes", &service.max_stream_bytes,
           "both, over all streams");
  AddLimit(app, "idle-seconds", &service.idle_seconds,
           "time for a peer to go on within a clip, and to accept what is sent "
           "to it");
  AddLimit(app, "idle-between-seconds", &service.idle_between_seconds,
           "time for a stream to begin its next clip");
  AddLimit(app, "min-upload-rate", &service.min_upload_bytes_per_second,
           "bytes of a clip a second that must come meanwhile");
  AddFlag(app, "chunk-bytes", &service.chunk_bytes,
          "chunks of outputs of a stream");
  app->get_option("--chunk-bytes")
      ->check(CLI::Range(int64_t{1} << 10, int64_t{4} << 20))
      ->group(kLimits);
}

// Limits on all, and limits per connection and per caller.
void AddAdmissionLimits(CLI::App* app, AdmissionLimits* limits) {
  AdmissionLimits& most = *limits;
  AddLimit(app, "max-inflight-clips", &most.max_inflight_clips,
           "clips in flight");
  AddMemoryLimit(app, "max-inflight-bytes", &most.max_inflight_bytes,
                 "bytes of their memory; auto = half of the memory that the "
                 "process may have, at most 4 GiB");
  AddLimit(app, "max-streams", &most.max_streams, "streams that are open");
  constexpr char kShares[] =
      "Limits (0 = a fair share: half of what others leave)";
  const auto add = [&](const char* name, int64_t* value, const char* help) {
    AddLimit(app, name, value, help);
    app->get_option(std::string("--") + name)->group(kShares);
  };
  add("max-inflight-clips-per-connection",
      &most.max_inflight_clips_per_connection, "clips of one connection");
  add("max-inflight-bytes-per-connection",
      &most.max_inflight_bytes_per_connection, "bytes of one connection");
  add("max-inflight-clips-per-caller", &most.max_inflight_clips_per_caller,
      "clips of one token");
  add("max-inflight-bytes-per-caller", &most.max_inflight_bytes_per_caller,
      "bytes of one token");
  add("max-streams-per-caller", &most.max_streams_per_caller,
      "streams of one token");
}

void AddTransportLimits(CLI::App* app, TransportLimits* transport) {
  AddLimit(app, "max-streams-per-connection",
           &transport->max_streams_per_connection,
           "calls of a connection at once");
  AddMemoryLimit(app, "max-transport-bytes", &transport->max_transport_bytes,
                 "memory of the transport; auto = an eighth of the memory that "
                 "the process may have, at most 1 GiB");
  AddLimit(app, "max-connection-age-seconds",
           &transport->max_connection_age_seconds,
           "then clients are asked to connect again");
  AddLimit(app, "max-connection-age-grace-seconds",
           &transport->max_connection_age_grace_seconds,
           "then calls on old connections are cut off");
  AddLimit(app, "keepalive-seconds", &transport->keepalive_seconds,
           "silence after which a client is asked for a sign of life");
  AddLimit(app, "keepalive-timeout-seconds",
           &transport->keepalive_timeout_seconds, "time to give it");
  AddLimit(app, "min-ping-seconds", &transport->min_ping_seconds,
           "clients that ping more often are cut off");
  AddLimit(app, "max-connections", &transport->max_connections,
           "connections at once");
  AddLimit(app, "handshake-seconds", &transport->handshake_seconds,
           "time for a connection to say what it is, or to go without a "
           "call while others find no room");
  AddLimit(app, "max-stray-bytes", &transport->max_stray_bytes,
           "what a connection may send that is no message yet");
  AddLimit(app, "max-request-seconds", &transport->max_request_seconds,
           "time for more than that to become one");
}

void AddLogFlag(CLI::App* app, LogFormat* format) {
  const std::map<std::string, LogFormat> names = {
      {"off", LogFormat::kOff},
      {"errors", LogFormat::kErrors},
      {"text", LogFormat::kText},
      {"json", LogFormat::kJson}};
  app->add_option("--log", *format,
                  "lines on stderr, one per call: off, errors, text, json")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->default_str("errors")
      ->type_name("FORMAT");
}

void AddReflectionFlag(CLI::App* app, bool* value) {
  const std::map<std::string, bool> names = {{"on", true}, {"off", false}};
  app->add_option("--reflection", *value,
                  "whether tools may list the services: on, off")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->default_str("off")
      ->type_name("CHOICE");
}

void AddActions(CLI::App* app, ServerConfig* config) {
  app->add_flag("--check-config", config->check_config,
                "say whether the server could start so, and end")
      ->configurable(false);
  app->add_option("--hash-token", config->hash_token,
                  "print the line of a token file for the token on stdin")
      ->type_name("NAME")
      ->configurable(false);
}

}  // namespace

void AddFlags(CLI::App* app, ServerConfig* config) {
  AddFlag(app, "listen", &config->listen,
          "HOST:PORT, or a PORT of this machine, to listen on");
  app->add_flag("--insecure", config->insecure,
                "allow a listen address beyond this machine without TLS");
  AddFlag(app, "tls-cert", &config->tls_cert, "PEM file, certificate chain");
  AddFlag(app, "tls-key", &config->tls_key, "PEM file, private key");
  AddFlag(app, "tls-client-ca", &config->tls_client_ca,
          "PEM file; clients must show a certificate signed by it");
  AddFlag(app, "token-file", &config->token_file,
          "bearer tokens that calls must show, one a line");
  AddFlag(app, "threads", &config->threads, "workers; 0 = one per core");
  AddFlag(app, "drain-seconds", &config->drain_seconds,
          "time for running clips after SIGTERM");
  app->get_option("--threads")->check(CLI::Range(0, 4096));
  app->get_option("--drain-seconds")->check(CLI::Range(0, 86400));
  AddFlag(app, "metrics", &config->metrics,
          "HOST:PORT, or a PORT of this machine, for Prometheus; off if "
          "empty");
  AddLogFlag(app, &config->log);
  AddReflectionFlag(app, &config->reflection);
  AddActions(app, config);
  AddClipLimits(app, &config->limits);
  AddServiceLimits(app, config);
  AddAdmissionLimits(app, &config->admission);
  CheckSmallLimits(app);
  AddTransportLimits(app, &config->transport);
}

}  // namespace bvhmill::server
