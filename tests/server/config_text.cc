#include "tests/server/config_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string_view>

#include "server/app/config.h"

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

// Every member of the structs of limits is a row.
static_assert(sizeof(Limits) == std::size(kClipLimits) * sizeof(int64_t));
static_assert(sizeof(server::ServiceLimits) ==
              std::size(server::kServiceLimits) * sizeof(int64_t));
static_assert(offsetof(server::AdmissionLimits, fair) ==
              std::size(server::kAdmissionLimits) * sizeof(int64_t));
static_assert(sizeof(server::TransportLimits) ==
              std::size(server::kTransportLimits) * sizeof(int64_t));
static_assert(sizeof(server::JobLimits) ==
              std::size(server::kJobLimits) * sizeof(int64_t));

// The field of ServerConfig that has the limits.
std::string_view FieldOf(const Limits* /*limits*/) { return "limits"; }
std::string_view FieldOf(const server::ServiceLimits* /*limits*/) {
  return "service";
}
std::string_view FieldOf(const server::AdmissionLimits* /*limits*/) {
  return "admission";
}
std::string_view FieldOf(const server::TransportLimits* /*limits*/) {
  return "transport";
}
std::string_view FieldOf(const server::JobLimits* /*limits*/) { return "jobs"; }

void PutLimits(const server::ServerConfig& config, Lines* out) {
  server::ForEachLimit(config, [out](const auto& row, const auto* limits) {
    std::string name(FieldOf(limits));
    name.append(".").append(row.name);
    out->Add(name, limits->*row.member);
  });
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
               threads, drain_seconds, metrics, http, http_origins, http_files,
               log, reflection, limits, service, admission, transport, jobs,
               data_dir, jobs_database, s3, data_dir_is_default, check_config,
               check_data, hash_token] = config;
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
  out.Add("http", http);
  out.Add("http_origins", http_origins);
  out.Add("http_files", http_files);
  out.Add("log", NameOf(log));
  out.Add("reflection", reflection);
  static_cast<void>(limits);
  static_cast<void>(service);
  static_cast<void>(admission);
  static_cast<void>(transport);
  static_cast<void>(jobs);
  // It follows from data_dir.
  static_cast<void>(data_dir_is_default);
  out.Add("data_dir", data_dir);
  out.Add("jobs_database", jobs_database);
  out.Add("blobs", s3.address);
  out.Add("s3_endpoint", s3.endpoint);
  out.Add("s3_region", s3.region);
  out.Add("s3_ca", s3.ca_file);
  out.Add("s3_credentials", s3.credentials_file);
  out.Add("check_data", check_data);
  PutLimits(config, &out);
  out.Add("check_config", check_config);
  out.Add("hash_token", hash_token);
  return out.Take();
}

}  // namespace bvhmill::testing
