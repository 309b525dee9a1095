#pragma once

// The configuration of a server: values that its operator sets.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "bvhmill/base/limits.h"
#include "server/limits/admission.h"
#include "server/observe/log.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// Limits on messages and streams; those on one clip are in bvhmill::Limits. The
// members of this struct and of TransportLimits are the rows of
// server/limits/limits.inc. 0 = no limit.
struct ServiceLimits {
#define BVHMILL_SERVICE_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
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

// Limits on connections. 0 = no limit.
struct TransportLimits {
#define BVHMILL_TRANSPORT_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
};

// Limits on jobs and blobs. 0 = no limit.
struct JobLimits {
#define BVHMILL_JOB_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
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
  JobLimits jobs;
  // The folder of jobs and blobs; empty = the server keeps no jobs.
  std::string data_dir;
  // The address of the database that several servers share; empty = a database
  // in the folder, for this server alone.
  std::string jobs_database;
  // Where the blobs are, if the servers share them in an S3-compatible store.
  S3Options s3;
  // No operator has named the folder: if another server uses it, this one
  // serves without jobs.
  bool data_dir_is_default = false;
  // Instead of serving: say whether that could be done.
  bool check_config = false;
  // Instead of serving: check the data in this folder.
  std::string check_data;
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
