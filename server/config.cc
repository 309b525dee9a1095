#include "server/config.h"

#include <arpa/inet.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "bvhmill/base/version.h"

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

template <typename T>
void AddFlag(CLI::App* app, const std::string& name, T* value,
             const std::string& help) {
  app->add_option("--" + name, *value, help)->capture_default_str();
}

void AddLimit(CLI::App* app, const std::string& name, int64_t* value,
              const std::string& help) {
  AddFlag(app, name, value, help);
  CLI::Option* option = app->get_option("--" + name);
  option->check(CLI::NonNegativeNumber)->group("Limits (0 = none)");
}

void AddLimits(CLI::App* app, ServerConfig* config) {
  Limits& clip = config->limits;
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
           "time for a peer to go on within a clip");
}

void AddFlags(CLI::App* app, ServerConfig* config) {
  AddFlag(app, "listen", &config->listen, "HOST:PORT to listen on");
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
  AddLimits(app, config);
}

// BVHMILL_MAX_JOINTS for --max-joints.
std::string VariableOf(const std::string& flag) {
  std::string variable = "BVHMILL_" + flag;
  for (char& c : variable) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return variable;
}

bool IsGiven(const std::vector<std::string>& args, const std::string& flag) {
  return std::any_of(args.begin(), args.end(), [&](const std::string& arg) {
    return arg == "--" + flag || arg.starts_with("--" + flag + "=");
  });
}

// The command line, with what the environment says about flags that are not on
// it: so the environment weighs less than flags and more than a file.
std::vector<std::string> WithEnvironment(const CLI::App& app, int argc,
                                         char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& flag = option->get_lnames().front();
    const char* value = std::getenv(VariableOf(flag).c_str());
    if (value == nullptr || flag == "help" || flag == "version") continue;
    if (!IsGiven(args, flag)) args.push_back("--" + flag + "=" + value);
  }
  // CLI11 wants them last first.
  std::reverse(args.begin(), args.end());
  return args;
}

// What is wrong with the flags taken together; empty if nothing is.
std::string FindConflict(const ServerConfig& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return "--tls-cert and --tls-key need each other";
  }
  if (!config.tls_client_ca.empty() && config.tls_cert.empty()) {
    return "--tls-client-ca needs --tls-cert and --tls-key";
  }
  if (config.tls_cert.empty() && !config.insecure &&
      !IsLoopback(config.listen)) {
    return "refusing to listen on " + config.listen +
           " without TLS; give --tls-cert and --tls-key, or --insecure";
  }
  return "";
}

}  // namespace

bool IsLoopback(const std::string& listen) {
  if (listen.starts_with("unix:")) return true;
  const std::string host = listen.substr(0, listen.rfind(':'));
  in_addr address = {};
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) {
    return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return host == "localhost" || host == "[::1]" || host == "::1";
}

bool ReadConfig(int argc, char** argv, ServerConfig* config, int* exit_code) {
  CLI::App app(kHelp, "bvhmilld");
  app.set_version_flag("--version", "bvhmilld " + std::string(Version()));
  app.set_config("--config", "", "file of NAME = VALUE lines, as the flags");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.footer(
      "Every flag is also read from the environment (--max-joints from "
      "BVHMILL_MAX_JOINTS) and\nfrom the file of --config; flags win over "
      "the environment, that over the file.");
  AddFlags(&app, config);
  try {
    app.parse(WithEnvironment(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
    return false;
  }
  const std::string conflict = FindConflict(*config);
  if (conflict.empty()) return true;
  std::cerr << "bvhmilld: " << conflict << "\n";
  *exit_code = 2;
  return false;
}

}  // namespace bvhmill::server
