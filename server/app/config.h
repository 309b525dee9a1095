#pragma once

// The configuration of a server: what its operator sets with flags, with
// BVHMILL_* variables and in the file of --config.
//
//   ServerConfig config;
//   int exit_code = 0;
//   if (!ReadConfig(argc, argv, &config, &exit_code)) return exit_code;
//   std::unique_ptr<Server> server;
//   const absl::Status status = Server::Start(config, &server);
//
// Each limit is one row of server/limits/limits.inc, or of
// bvhmill/base/limits.inc for the limits on one clip. The rows make the members
// of the structs below, the flags, and the limits that GetServerInfo shows.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/limits.h"
#include "server/limits/admission.h"
#include "server/observe/log.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// Limits on messages and streams. 0 = no limit.
struct ServiceLimits {
#define BVHMILL_SERVICE_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"
};

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
  // HOST:PORT; port 0 picks a free port.
  std::string listen = "127.0.0.1:7450";
  // Allows traffic with other machines without TLS: calls (listen), the page of
  // metrics, and blobs (an http:// endpoint).
  bool insecure = false;
  std::string tls_cert;
  std::string tls_key;
  // Clients must show a certificate that this authority signed. Empty = the
  // server asks for none.
  std::string tls_client_ca;
  // The tokens that calls must show, see tokens.h; empty = calls need none.
  std::string token_file;
  // Workers; 0 = one per core.
  int threads = 0;
  // Seconds that running clips may take after the server was told to stop.
  int drain_seconds = 30;
  // HOST:PORT of the page of metrics; empty = no page.
  std::string metrics;
  // HOST:PORT of the HTTP API; empty = none. The origins of pages that may use
  // it, separated by commas. The folder of files that it serves.
  std::string http;
  std::string http_origins;
  std::string http_files;
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
  // The S3-compatible store of the blobs, if several servers share one.
  S3Options s3;
  // True if no flag names data_dir. If another server uses the default folder,
  // this server runs without jobs.
  bool data_dir_is_default = false;

  // Actions that a program does instead of serving:
  // Reports whether the server could start with this configuration.
  bool check_config = false;
  // Checks the data in this folder.
  std::string check_data;
  // Prints a line of a token file, for a token of this name.
  std::string hash_token;
};

// Reads flags, BVHMILL_* variables and the file of --config. A flag overrides a
// variable, and a variable overrides the file. A variable or a line of the file
// that sets nothing is an error. Returns true if `config` is filled. Otherwise
// prints help or the error, and sets `*exit_code`.
bool ReadConfig(int argc, char** argv, ServerConfig* config, int* exit_code);

// Adds every flag that sets a field of `config`, which must outlive `app`. The
// names of variables and of settings in the file follow from the flags.
void AddFlags(CLI::App* app, ServerConfig* config);

// Checks a configuration without starting a server: reads the files that
// `config` names and looks up its addresses. Returns the first error. Does not
// check if an address is in use: the server that runs there may be the one to
// restart.
absl::Status CheckConfig(const ServerConfig& config);

// Computes the limits that depend on others. Replaces kAuto: max_inflight_bytes
// by half of the memory of the process, at most 4 GiB; max_transport_bytes by
// an eighth, at most 1 GiB; by these maxima if the system states no bound.
// Lowers recommended_chunk_bytes so that a chunk and its key fit into
// max_request_message_bytes. Reads the bounds on memory from the system.
ServerConfig WithResolvedLimits(ServerConfig config);
// The same for a process that may use `memory` bytes; 0 = any number.
ServerConfig WithResolvedLimits(ServerConfig config, int64_t memory);

// States as a text which credentials calls need: "calls need TLS and a token".
std::string WhatCallsNeed(const ServerConfig& config);

// True if only this machine can reach HOST:PORT, or if it is unix:PATH.
bool IsLoopback(const std::string& listen);

// `seconds` as a duration, at most 1e9 s: the sum of a time and the result does
// not overflow.
inline std::chrono::seconds Seconds(int64_t seconds) {
  constexpr int64_t kMax = 1'000'000'000;
  return std::chrono::seconds(std::min(seconds, kMax));
}

// The largest message that gRPC reads: twice max_request_message_bytes. The
// server refuses a message above max_request_message_bytes with an error that
// names the limit; gRPC refuses a message above this one with an error of its
// own.
inline int64_t MaxReceivedBytes(const ServiceLimits& limits) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const int64_t limit = std::min(limits.max_request_message_bytes, kMax / 2);
  return limit == 0 ? kMax : 2 * limit;
}

// The rows of server/limits/limits.inc as data, for flags, pages and tests.

inline constexpr LimitRow<ServiceLimits> kServiceLimits[] = {
#define BVHMILL_SERVICE_LIMIT(...) BVHMILL_LIMIT_ROW(ServiceLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<AdmissionLimits> kAdmissionLimits[] = {
#define BVHMILL_ADMISSION_LIMIT(...) \
  BVHMILL_LIMIT_ROW(AdmissionLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<TransportLimits> kTransportLimits[] = {
#define BVHMILL_TRANSPORT_LIMIT(...) \
  BVHMILL_LIMIT_ROW(TransportLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

inline constexpr LimitRow<JobLimits> kJobLimits[] = {
#define BVHMILL_JOB_LIMIT(...) BVHMILL_LIMIT_ROW(JobLimits, __VA_ARGS__)
#include "server/limits/limits.inc"
};

// Calls `take(row, &limits)` for each limit of the server, those on clips
// included. `limits` is the struct of `config` that the row belongs to.
template <typename Config, typename Take>
void ForEachLimit(Config& config, const Take& take) {
  for (const auto& row : kClipLimits) take(row, &config.limits);
  for (const auto& row : kServiceLimits) take(row, &config.service);
  for (const auto& row : kAdmissionLimits) take(row, &config.admission);
  for (const auto& row : kTransportLimits) take(row, &config.transport);
  for (const auto& row : kJobLimits) take(row, &config.jobs);
}

}  // namespace bvhmill::server
