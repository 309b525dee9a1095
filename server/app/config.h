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

// `seconds` as a duration, at most 1e9 s, so that a time plus it does not
// overflow.
inline std::chrono::seconds Seconds(int64_t seconds) {
  constexpr int64_t kMax = 1'000'000'000;
  return std::chrono::seconds(std::min(seconds, kMax));
}

// Limits on connections. 0 = no limit.
struct TransportLimits {
#define BVHMILL_TRANSPORT_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
};

// The largest message that gRPC reads: four times max_request_message_bytes, or
// less where a few such messages would take all of max_transport_bytes. The
// server refuses a message above the limit with an error that names it; gRPC
// refuses a larger one itself.
inline int64_t MaxReceivedBytes(const ServiceLimits& limits,
                                const TransportLimits& transport) {
  constexpr int64_t kNamedFactor = 4;
  constexpr int64_t kLeastMessages = 16;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const int64_t limit = std::min(limits.max_request_message_bytes, kMax);
  if (limit == 0) return kMax;
  const int64_t most = transport.max_transport_bytes == 0
                           ? kMax
                           : transport.max_transport_bytes / kLeastMessages;
  return std::clamp(most, limit,
                    std::min(limit, kMax / kNamedFactor) * kNamedFactor);
}

// Limits on jobs and blobs. 0 = no limit.
struct JobLimits {
#define BVHMILL_JOB_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
};

struct ServerConfig {
  // HOST:PORT; port 0 picks one.
  std::string listen = "127.0.0.1:7450";
  // Allows traffic with other machines without TLS: calls (listen), the page of
  // metrics, and blobs (an http:// endpoint).
  bool insecure = false;
  std::string tls_cert;
  std::string tls_key;
  // Asks clients for a certificate signed by it.
  std::string tls_client_ca;
  // Tokens that calls must show, see tokens.h; empty = calls need none.
  std::string token_file;
  // 0 = as many as cores.
  int threads = 0;
  // Seconds that running clips may take after the server was told to stop.
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
  // True if no flag names data_dir. If another server uses that folder, this
  // one serves without jobs.
  bool data_dir_is_default = false;
  // Instead of serving: say whether that could be done.
  bool check_config = false;
  // Instead of serving: check the data in this folder.
  std::string check_data;
  // Instead of serving: print a line of a token file, for a token of this name.
  std::string hash_token;
};

// Reads flags, BVHMILL_* variables and the file of --config. A flag overrides a
// variable, and a variable overrides the file. A variable or a line of the file
// that sets nothing is an error. Returns true if `config` is filled. Otherwise
// sets `*exit_code`; help or the error has been printed.
bool ReadConfig(int argc, char** argv, ServerConfig* config, int* exit_code);

// Computes the limits that depend on others. Replaces kAuto: max_inflight_bytes
// by half of the memory of the process, at most 4 GiB; max_transport_bytes by
// an eighth, at most 1 GiB; by these maxima if the system states no bound.
// Lowers recommended_chunk_bytes so that a chunk and its key fit into
// max_request_message_bytes. Reads the bounds from the system.
ServerConfig WithResolvedLimits(ServerConfig config);
// The same for a process that may have `memory` bytes; 0 = any number.
ServerConfig WithResolvedLimits(ServerConfig config, int64_t memory);

// "calls need TLS and a token", or what they need instead.
std::string WhatCallsNeed(const ServerConfig& config);

// True if HOST:PORT can only be reached from this machine.
bool IsLoopback(const std::string& listen);

}  // namespace bvhmill::server
