#include "server/app/config.h"

#include <arpa/inet.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/version.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/settings/amounts.h"
#include "bvhmill/settings/settings.h"
#include "bvhmill/settings/small_file.h"
#include "server/auth/tls.h"
#include "server/auth/tokens.h"
#include "server/limits/memory.h"
#include "server/net/listener.h"
#include "server/store/data_folder.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {
namespace {

constexpr char kHelp[] =
    "bvhmilld: the gRPC server of bvhmill.\n"
    "\n"
    "Examples:\n"
    "  bvhmilld\n"
    "      serve this machine on 127.0.0.1:7450\n"
    "  bvhmilld --listen 0.0.0.0:7450 --tls-cert cert.pem --tls-key key.pem\n"
    "      serve others, encrypted\n"
    "  bvhmilld --listen 127.0.0.1:0\n"
    "      pick a free port and print it\n";

constexpr char kConfigFlag[] = "config";

constexpr char kFooter[] =
    "BYTES are a number of bytes, or a number with K, M, G or T, also written\n"
    "KiB, MiB, GiB or TiB, the powers of 1024: 65536, 512MiB, 1.5G. SECONDS\n"
    "are a number of seconds, or a number with s, m, h or d: 90, 30s, 5m, 2h.\n"
    "\n"
    "Every flag is also read from the environment (--max-joints from\n"
    "BVHMILL_MAX_JOINTS) and from the file of --config; flags win over the\n"
    "environment, that over the file.";

// INVALID_ARGUMENT "PLACE: why". `place` is a variable, or a line of a file and
// its setting.
absl::Status WrongValue(const std::string& place, std::string_view why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    place + ": " + std::string(why));
}

// Sets `option`, which has no value so far, to the value that is at `place`.
absl::Status SetOption(const std::string& place, const std::string& value,
                       CLI::Option* option) {
  try {
    option->add_result(value);
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    // It names the flag, and `place` the setting.
    const std::string name = option->get_name() + ": ";
    std::string_view why = error.what();
    if (why.starts_with(name)) why.remove_prefix(name.size());
    return WrongValue(place, why);
  }
  return absl::OkStatus();
}

// Sets the options of `app` that have no value from the command line.
absl::Status ReadEnvironment(CLI::App* app) {
  for (CLI::Option* option : app->get_options()) {
    if (option->get_lnames().empty() || !option->empty()) continue;
    const std::string& flag = option->get_lnames().front();
    // Only the command line says what a run is for.
    if (!option->get_configurable() && flag != kConfigFlag) continue;
    const std::string variable = VariableOf(flag);
    const char* const value = std::getenv(variable.c_str());
    if (value == nullptr) continue;
    // The value of another variable that is not set may be meant.
    if (*value == '\0') return WrongValue(variable, "has no value");
    BVHMILL_RETURN_IF_ERROR(SetOption(variable, value, option));
  }
  return absl::OkStatus();
}

// Sets the options of `app` that have no value so far.
absl::Status ReadConfigFile(const std::string& path, CLI::App* app) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const auto text = ReadSmallFile(path, kMaxBytes, /*cancel=*/nullptr);
  if (!text.ok()) return text.status();
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_configurable()) names.push_back(option->get_lnames()[0]);
  }
  const auto settings = ParseSettings(path, *text, names);
  if (!settings.ok()) return settings.status();
  for (const Setting& setting : *settings) {
    if (setting.name.empty()) {
      return NoSuchSetting(path, setting, "section", {});
    }
    if (!setting.section.empty() ||
        std::find(names.begin(), names.end(), setting.name) == names.end()) {
      return NoSuchSetting(path, setting, "setting", names);
    }
    const std::string place =
        path + ":" + std::to_string(setting.line) + ": " + setting.name;
    if (setting.values.size() > 1) {
      return WrongValue(place, "takes one value and no list");
    }
    CLI::Option* option = app->get_option("--" + setting.name);
    if (!option->empty()) continue;
    BVHMILL_RETURN_IF_ERROR(SetOption(place, setting.values[0], option));
  }
  return absl::OkStatus();
}

// The error of the address to listen on; empty if there is none.
std::string CheckListen(const ServerConfig& config) {
  const bool is_open = config.tls_cert.empty() && !config.insecure;
  if (is_open && !IsLoopback(config.listen)) {
    return "refusing to listen on " + config.listen +
           " without TLS; give --tls-cert and --tls-key, or --insecure";
  }
  return "";
}

std::string CheckPages(const ServerConfig& config) {
  if (config.http.empty() &&
      !(config.http_origins.empty() && config.http_files.empty())) {
    return "--http-origins and --http-files need --http";
  }
  if (!config.http.empty() && config.tls_cert.empty() && !config.insecure &&
      !IsLoopback(config.http)) {
    return "refusing to serve HTTP on " + config.http +
           " without TLS; give --tls-cert and --tls-key, or --insecure";
  }
  if (config.metrics.empty()) return "";
  if (!config.insecure && !IsLoopback(config.metrics)) {
    return "refusing to show metrics on " + config.metrics +
           " in clear text; give an address of this machine, or --insecure";
  }
  return "";
}

// True if blobs would cross the network in clear text, which --insecure allows.
// An endpoint without a port gets one, since IsLoopback takes HOST:PORT.
bool IsForbiddenClearText(const ServerConfig& config,
                          const std::string& endpoint) {
  constexpr std::string_view kHttp = "http://";
  if (config.insecure || !endpoint.starts_with(kHttp)) return false;
  const std::string address = endpoint.substr(kHttp.size());
  return !IsLoopback(HasPort(address) ? address : address + ":80");
}

std::string CheckS3(const ServerConfig& config) {
  S3Place place;
  std::string endpoint;
  absl::Status read = ReadS3Address(config.s3.address, &place);
  if (read.ok()) read = ReadS3Endpoint(config.s3, &endpoint);
  if (!read.ok()) return std::string(MessageOf(read));
  if (config.jobs_database.empty()) {
    return "--blobs needs --jobs-database: one server alone keeps its blobs in "
           "--data-dir";
  }
  if (config.data_dir.empty()) {
    return "--blobs needs --data-dir, a folder of this machine for bytes that "
           "were not sent yet";
  }
  if (Exceeds(config.jobs.max_blob_bytes, kMaxS3BlobBytes) ||
      config.jobs.max_blob_bytes == 0) {
    return "--blobs: --max-blob-bytes may be " +
           std::to_string(kMaxS3BlobBytes) + " at most";
  }
  if (IsForbiddenClearText(config, endpoint)) {
    return "refusing to send blobs to " + endpoint +
           " in clear text; give https://, or --insecure";
  }
  return "";
}

// All servers of a database share one folder of blobs. The default folder is
// local to one machine, so a shared database needs --data-dir.
std::string CheckJobs(const ServerConfig& config) {
  if (!config.s3.address.empty()) return CheckS3(config);
  if (!config.s3.endpoint.empty() || !config.s3.credentials_file.empty() ||
      !config.s3.ca_file.empty() || config.s3.region != S3Options().region) {
    return "--s3-endpoint, --s3-region, --s3-ca and --s3-credentials need "
           "--blobs";
  }
  const bool is_shared = !config.jobs_database.empty();
  return is_shared && (config.data_dir_is_default || config.data_dir.empty())
             ? "--jobs-database needs --data-dir, a folder that all servers "
               "share, or --blobs"
             : "";
}

// The error of the flags in combination; empty if there is none.
std::string FindConflict(const ServerConfig& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return "--tls-cert and --tls-key need each other";
  }
  if (!config.tls_client_ca.empty() && config.tls_cert.empty()) {
    return "--tls-client-ca needs --tls-cert and --tls-key";
  }
  std::string wrong = CheckListen(config);
  if (wrong.empty()) wrong = CheckJobs(config);
  return wrong.empty() ? CheckPages(config) : wrong;
}

void SetDataFolder(ServerConfig* config) {
  config->data_dir_is_default = config->data_dir.empty();
  if (config->data_dir_is_default) config->data_dir = DefaultDataFolder();
  if (config->data_dir == "none") config->data_dir.clear();
}

std::string WhatIsWrong(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return error.what();
  return "there is no setting '" + unknown.front() + "'";
}

// Prints the lines in `format`, and returns false.
bool Refuse(const std::vector<std::string>& lines, LogFormat format,
            int* exit_code) {
  for (const std::string& line : lines) {
    std::cerr << EventLine(format, line) << "\n";
  }
  if (format != LogFormat::kJson) std::cerr << "bvhmilld --help shows how\n";
  *exit_code = 2;
  return false;
}

}  // namespace

ServerConfig WithResolvedLimits(ServerConfig config, int64_t memory) {
  const auto resolve = [memory](int64_t part, int64_t most, int64_t* limit) {
    if (*limit != kAuto) return;
    *limit = memory == 0 ? most : std::clamp<int64_t>(memory / part, 1, most);
  };
  resolve(2, int64_t{4} << 30, &config.admission.max_inflight_bytes);
  resolve(8, int64_t{1} << 30, &config.transport.max_transport_bytes);
  // A chunk of the recommended size fits a message with its key.
  constexpr int64_t kBesideChunk = 1024;
  const int64_t message = config.service.max_request_message_bytes;
  int64_t& chunk = config.service.recommended_chunk_bytes;
  if (message > 0 && chunk > message - kBesideChunk) {
    chunk = std::max<int64_t>(message - kBesideChunk, 1);
  }
  return config;
}

ServerConfig WithResolvedLimits(ServerConfig config) {
  return WithResolvedLimits(std::move(config), LeastBound(ReadMemoryBounds()));
}

bool IsLoopback(const std::string& listen) {
  if (listen.starts_with("unix:")) return true;
  const std::string host = listen.substr(0, listen.rfind(':'));
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) {
    return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return host == "localhost" || host == "[::1]" || host == "::1";
}

std::string WhatCallsNeed(const ServerConfig& config) {
  const std::string tls = config.tls_client_ca.empty()
                              ? "TLS"
                              : "TLS with a certificate of the client";
  if (config.token_file.empty()) {
    return config.tls_cert.empty() ? "calls need neither TLS nor a token"
                                   : "calls need " + tls + ", but no token";
  }
  return config.tls_cert.empty() ? "calls need a token, but no TLS"
                                 : "calls need " + tls + " and a token";
}

bool ReadConfig(int argc, char** argv, ServerConfig* config, int* exit_code) {
  CLI::App app(kHelp, "bvhmilld");
  app.set_version_flag("--version", "bvhmilld " + std::string(Version()));
  std::string file;
  const CLI::Option* const file_option =
      app.add_option(std::string("--") + kConfigFlag, file,
                     "file of NAME = VALUE lines, as the flags")
          ->type_name("FILE")
          ->configurable(false);
  app.footer(kFooter);
  AddFlags(&app, config);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    *exit_code = app.exit(help, std::cout, std::cerr);
    return false;
  } catch (const CLI::ParseError& error) {
    return Refuse({WhatIsWrong(app, error)}, config->log, exit_code);
  }
  absl::Status read = ReadEnvironment(&app);
  if (read.ok() && !file_option->empty()) read = ReadConfigFile(file, &app);
  if (!read.ok()) {
    return Refuse({std::string(MessageOf(read))}, config->log, exit_code);
  }
  const std::vector<std::string> unknown = UnknownVariables(FlagsOfOptions());
  if (!unknown.empty()) return Refuse(unknown, config->log, exit_code);
  SetDataFolder(config);
  if (!config->hash_token.empty() || !config->check_data.empty()) return true;
  const std::string conflict = FindConflict(*config);
  if (conflict.empty()) return true;
  std::cerr << EventLine(config->log, conflict) << "\n";
  *exit_code = 2;
  return false;
}

// The flags of bvhmilld.

namespace {

CLI::Option* AddFlag(CLI::App* app, const std::string& name, std::string* value,
                     const std::string& help) {
  return app->add_option("--" + name, *value, help)->capture_default_str();
}

// Reads a number in `unit`. Reads the word "auto" as kAuto if that is allowed.
CLI::Validator NumberOf(LimitUnit unit, LimitRange range,
                        bool takes_auto = false) {
  const auto read = [=](std::string& text) -> std::string {
    int64_t value = kAuto;
    if (!takes_auto || text != "auto") {
      std::string why = ParseAmount(text, unit, range, &value);
      if (!why.empty()) return why + (takes_auto ? ", or auto" : "");
    }
    text = std::to_string(value);
    return "";
  };
  return {read, ""};
}

// Reads HOST:PORT, or a PORT of this machine. Also takes addresses that begin
// with `other` or, if that is empty, the empty address.
CLI::Validator AddressOr(std::string_view other) {
  const auto read = [other](std::string& text) -> std::string {
    text = WithHost(text);
    const bool is_other =
        other.empty() ? text.empty() : text.starts_with(other);
    return is_other || HasPort(text)
               ? ""
               : Quote(text) +
                     " is not HOST:PORT or PORT, with a port from 0 to 65535";
  };
  return {read, ""};
}

// Reads one of the words as its value. Values are read as numbers.
template <typename Value>
CLI::Validator WordOf(const std::map<std::string, Value>& words) {
  const auto read = [words](std::string& text) -> std::string {
    if (const auto found = words.find(text); found != words.end()) {
      text = std::to_string(static_cast<int>(found->second));
      return "";
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : words) names.push_back(name);
    return Quote(text) + " is none of " + CLI::detail::join(names, ", ");
  };
  return {read, ""};
}

void AddNumber(CLI::App* app, const std::string& name, int* value,
               LimitUnit unit, LimitRange range, const std::string& help) {
  app->add_option("--" + name, *value, help)
      ->transform(NumberOf(unit, range))
      ->default_str(AmountText(*value, unit))
      ->type_name(ValueName(unit));
}

// `text` with line breaks, for lines of 80 columns after the names of flags.
std::string Wrapped(std::string_view text) {
  constexpr size_t kWidth = 50;
  std::string lines;
  while (text.size() > kWidth) {
    const size_t end = text.rfind(' ', kWidth);
    if (end == text.npos) break;
    lines.append(text.substr(0, end)).append("\n");
    text.remove_prefix(end + 1);
  }
  return lines.append(text);
}

// The title of a group in --help.
constexpr const char* TitleOf(LimitGroup group) {
  switch (group) {
    case LimitGroup::kClips:
      return "Limits on one clip (0 = no limit)";
    case LimitGroup::kStreams:
      return "Limits on messages and streams (0 = no limit)";
    case LimitGroup::kInFlight:
      return "Limits on what is in flight (0 = no limit)";
    case LimitGroup::kShares:
      return "Limits for one connection or token (0 = half of what others "
             "leave)";
    case LimitGroup::kJobs:
      return "Limits on jobs (0 = no limit)";
    case LimitGroup::kConnections:
      break;
  }
  return "Limits on connections (0 = no limit)";
}

// The flag of one row. A limit whose default is kAuto also takes "auto".
template <typename Struct>
void AddLimit(CLI::App* app, const LimitRow<Struct>& row, Struct* limits) {
  const bool is_auto = row.value == kAuto;
  app->add_option(FlagOfLimit(row.name), limits->*row.member, Wrapped(row.help))
      ->transform(NumberOf(row.unit, row.range, is_auto))
      ->default_str(is_auto ? "auto" : AmountText(row.value, row.unit))
      ->type_name(ValueName(row.unit))
      ->group(TitleOf(row.group));
}

// A flag without a value on the command line.
void AddSwitch(CLI::App* app, const std::string& name, bool* value,
               const std::string& help) {
  const std::map<std::string, bool> words = {
      {"true", true}, {"false", false}, {"on", true}, {"off", false},
      {"yes", true},  {"no", false},    {"1", true},  {"0", false}};
  app->add_flag("--" + name, *value, help)->transform(WordOf(words));
}

void AddLogFlag(CLI::App* app, LogFormat* format) {
  const std::map<std::string, LogFormat> names = {
      {"off", LogFormat::kOff},
      {"errors", LogFormat::kErrors},
      {"text", LogFormat::kText},
      {"json", LogFormat::kJson}};
  app->add_option("--log", *format,
                  "lines on stderr, one per call: off, errors, text, json")
      ->transform(WordOf(names))
      ->default_str("errors")
      ->type_name("FORMAT");
}

void AddReflectionFlag(CLI::App* app, bool* value) {
  const std::map<std::string, bool> names = {{"on", true}, {"off", false}};
  app->add_option("--reflection", *value,
                  "whether tools may list the services: on, off")
      ->transform(WordOf(names))
      ->default_str("off")
      ->type_name("CHOICE");
}

void AddS3Flags(CLI::App* app, S3Options* s3) {
  app->add_option("--blobs", s3->address,
                  "s3://BUCKET/PREFIX for the blobs of servers that\n"
                  "share --jobs-database, instead of a folder that\n"
                  "they share; the keys are in AWS_ACCESS_KEY_ID,\n"
                  "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
      ->type_name("URI");
  app->add_option("--s3-endpoint", s3->endpoint,
                  "http[s]://HOST:PORT of the store; default: that of\n"
                  "AWS for the region")
      ->type_name("URL");
  AddFlag(app, "s3-region", &s3->region, "region that signatures name");
  AddFlag(app, "s3-ca", &s3->ca_file,
          "PEM file; its authorities sign the certificate of the store");
  AddFlag(app, "s3-credentials", &s3->credentials_file,
          "file with the keys, read again when it changes");
}

void AddActions(CLI::App* app, ServerConfig* config) {
  AddSwitch(app, "check-config", &config->check_config,
            "say whether the server could start so, and end");
  app->get_option("--check-config")->configurable(false);
  app->add_option("--check-data", config->check_data,
                  "check the data of jobs in this folder, and end; with "
                  "--jobs-database those of several servers, with --blobs "
                  "instead of the folder")
      ->type_name("DIR")
      ->configurable(false);
  app->add_option("--hash-token", config->hash_token,
                  "print the line of a token file for the token on stdin")
      ->type_name("NAME")
      ->configurable(false);
}

}  // namespace

void AddFlags(CLI::App* app, ServerConfig* config) {
  AddFlag(app, "listen", &config->listen,
          "HOST:PORT, or a PORT of this machine, to listen on")
      ->transform(AddressOr("unix:"));
  AddSwitch(app, "insecure", &config->insecure,
            "allow traffic with other machines without TLS: calls, metrics "
            "and blobs");
  AddFlag(app, "tls-cert", &config->tls_cert, "PEM file, certificate chain");
  AddFlag(app, "tls-key", &config->tls_key, "PEM file, private key");
  AddFlag(app, "tls-client-ca", &config->tls_client_ca,
          "PEM file; clients must show a certificate signed by it");
  AddFlag(app, "token-file", &config->token_file,
          "bearer tokens that calls must show, one a line");
  AddNumber(app, "threads", &config->threads, LimitUnit::kCount, {0, 4096},
            "workers; 0 = one per core");
  AddNumber(app, "drain-seconds", &config->drain_seconds, LimitUnit::kSeconds,
            {0, 86'400}, "time for running clips after SIGTERM");
  AddFlag(app, "metrics", &config->metrics,
          "HOST:PORT, or a PORT of this machine, for Prometheus; off if "
          "empty")
      ->transform(AddressOr(""));
  AddFlag(app, "http", &config->http,
          "HOST:PORT, or a PORT of this machine, for HTTP: POST "
          "/v1/convert; off if empty")
      ->transform(AddressOr(""));
  app->add_option("--http-origins", config->http_origins,
                  "origins whose web pages may use it; * = all")
      ->type_name("LIST");
  app->add_option("--http-files", config->http_files,
                  "folder of files that it serves at /")
      ->type_name("DIR");
  app->add_option("--data-dir", config->data_dir,
                  "folder for jobs; none = the server keeps no jobs;\n"
                  "default: $STATE_DIRECTORY, $XDG_STATE_HOME/bvhmill\n"
                  "or ~/.local/state/bvhmill, made on the first job")
      ->type_name("DIR");
  app->add_option("--jobs-database", config->jobs_database,
                  "postgresql://... of jobs that several servers\n"
                  "share; --data-dir is then the folder that they\n"
                  "share for blobs, unless --blobs is given")
      ->type_name("URI");
  AddS3Flags(app, &config->s3);
  AddLogFlag(app, &config->log);
  AddReflectionFlag(app, &config->reflection);
  AddActions(app, config);
  ForEachLimit(*config, [app](const auto& row, auto* limits) {
    AddLimit(app, row, limits);
  });
}

// --check-config.

namespace {

absl::Status BadAddress(const std::string& address, const char* why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, address + ": " + why);
}

absl::Status CheckAddress(const std::string& address) {
  if (address.empty() || address.starts_with("unix:")) return absl::OkStatus();
  if (!HasPort(address)) return BadAddress(address, "is not HOST:PORT");
  if (Resolve(address) == nullptr) {
    return BadAddress(address, "no such host is known here");
  }
  return absl::OkStatus();
}

absl::Status CheckS3Keys(const S3Options& s3) {
  S3Keys keys;
  return s3.address.empty() ? absl::OkStatus()
                            : S3Credentials(s3.credentials_file).Get(&keys);
}

}  // namespace

absl::Status CheckConfig(const ServerConfig& config) {
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.listen));
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.metrics));
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.http));
  BVHMILL_RETURN_IF_ERROR(CheckTlsFiles(config));
  if (!config.jobs_database.empty() && !HasPostgres()) return NoPostgres();
  BVHMILL_RETURN_IF_ERROR(CheckS3Keys(config.s3));
  std::unique_ptr<TokenStore> tokens;
  return TokenStore::Open(config.token_file, &tokens);
}

}  // namespace bvhmill::server
