#pragma once

// What the operator of a server may choose.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "bvhmill/base/limits.h"
#include "server/limits/admission.h"
#include "server/observe/log.h"

namespace bvhmill::server {

// Limits of the service itself; those of a clip are in bvhmill::Limits.
struct ServiceLimits {
  // Serialized bytes of one message.
  int64_t max_request_message_bytes = int64_t{16} << 20;
  // A client that was not configured receives 4 MiB; some slack for the rest
  // of the message.
  int64_t max_unary_response_bytes = (int64_t{4} << 20) - (int64_t{64} << 10);
  int64_t chunk_bytes = int64_t{256} << 10;
  int64_t max_unfinished_clips_per_stream = 64;
  // Bytes of clips that came and are not used up.
  int64_t max_unfinished_bytes_per_stream = int64_t{1} << 20;
  // Bytes of outputs that wait to be written.
  int64_t max_unsent_bytes_per_stream = int64_t{4} << 20;
  // Both together, over all streams: those that hold something read on when it
  // is less.
  int64_t max_stream_bytes = int64_t{256} << 20;
  // How long a peer may keep a stream waiting within a clip, or an answer; 0 =
  // for ever.
  int64_t idle_seconds = 60;
  // How long a stream may stay open without an unfinished clip; 0 = for ever.
  int64_t idle_between_seconds = 300;
  // What must come of a clip while the server waits for it, on average over
  // idle_seconds: else a few bytes now and then would hold its place for ever.
  int64_t min_upload_bytes_per_second = 256;
};

// Messages somewhat over max_request_message_bytes are read and refused with
// its name; beyond this gRPC refuses them by itself.
inline int64_t MaxReceivedBytes(const ServiceLimits& limits) {
  constexpr int64_t kNamedFactor = 4;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const int64_t limit = limits.max_request_message_bytes;
  return limit == 0 ? kMax
                    : std::min(limit, kMax / kNamedFactor) * kNamedFactor;
}

// As a time that can be added to others.
inline std::chrono::seconds Seconds(int64_t seconds) {
  constexpr int64_t kMax = 1'000'000'000;
  return std::chrono::seconds(std::min(seconds, kMax));
}

// The value of a limit that follows from the memory of the process: see
// WithResolvedLimits.
inline constexpr int64_t kAuto = -1;

// What connections may do. 0 = no limit of that kind.
struct TransportLimits {
  // Calls at once; more wait in the client.
  int64_t max_streams_per_connection = 256;
  // gRPC's own buffers. Beyond it gRPC cuts off connections and calls: the last
  // wall, behind those that say why.
  int64_t max_transport_bytes = kAuto;
  // An older connection takes no more calls; clients open another one. So they
  // find servers that were added.
  int64_t max_connection_age_seconds = 1800;
  // After that its calls are cut off.
  int64_t max_connection_age_grace_seconds = 0;
  // A silent client is asked for a sign of life, and given up without one.
  int64_t keepalive_seconds = 60;
  int64_t keepalive_timeout_seconds = 20;
  // Clients that ping more often are cut off.
  int64_t min_ping_seconds = 10;
  // One more is closed as soon as it comes.
  int64_t max_connections = 4096;
  // How long a connection may take to say what it is, and how long it may have
  // no call before it makes room for others where there are max_connections.
  int64_t handshake_seconds = 20;
  // A connection is cut off over which so much has come that is no message, or
  // not yet, and no message for so long: gRPC says nothing of a unary call, or
  // of a piece of a stream, before its message is there.
  int64_t max_stray_bytes = int64_t{1} << 20;
  int64_t max_request_seconds = 120;
};

struct ServerConfig {
  // HOST:PORT; port 0 picks one.
  std::string listen = "127.0.0.1:7450";
  // Allows a listen address beyond loopback without TLS.
  bool insecure = false;
  std::string tls_cert;
  std::string tls_key;
  // Asks clients for a certificate signed by it.
  std::string tls_client_ca;
  // Tokens that calls must show, see tokens.h; empty = calls need none.
  std::string token_file;
  // 0 = as many as cores.
  int threads = 0;
  // How long running clips may take once the server was told to stop.
  int drain_seconds = 30;
  // HOST:PORT of the metrics; empty = none.
  std::string metrics;
  LogFormat log = LogFormat::kErrors;
  bool reflection = false;
  Limits limits;
  ServiceLimits service;
  AdmissionLimits admission;
  TransportLimits transport;
  // Instead of serving: say whether that could be done.
  bool check_config = false;
  // Instead of serving: print a line of a token file, for a token of this name.
  std::string hash_token;
};

// Reads flags, BVHMILL_* variables and the file of --config, in falling order
// of weight. True: `config` is filled. False: `*exit_code` is how the program
// ends; help or the error has been printed.
bool ReadConfig(int argc, char** argv, ServerConfig* config, int* exit_code);

// Replaces kAuto by what the memory of the process allows: max_inflight_bytes
// by half of it and at most 4 GiB, max_transport_bytes by an eighth and at most
// 1 GiB. Reads the bounds from the system; where there are none, by the most.
ServerConfig WithResolvedLimits(ServerConfig config);
// The same for a process that may have `memory` bytes; 0 = any number.
ServerConfig WithResolvedLimits(ServerConfig config, int64_t memory);

// True if HOST:PORT can only be reached from this machine.
bool IsLoopback(const std::string& listen);

}  // namespace bvhmill::server
