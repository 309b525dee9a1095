#include "server/app/flags.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/limit_rows.h"

namespace bvhmill::server {
namespace {

template <typename T>
void AddFlag(CLI::App* app, const std::string& name, T* value,
             const std::string& help) {
  app->add_option("--" + name, *value, help)->capture_default_str();
}

// Reads the word "auto" as kAuto.
CLI::Validator AutoOrNumber() {
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
    return "'" + text + "' is none of " + CLI::detail::join(names, ", ");
  };
  return {read, ""};
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

// The flag of one row. A limit whose default is kAuto also takes "auto".
template <typename Struct>
void AddLimit(CLI::App* app, const LimitRow<Struct>& row, Struct* limits) {
  CLI::Option* const option =
      app->add_option(FlagOfLimit(row.name), limits->*row.member,
                      Wrapped(row.help))
          ->capture_default_str()
          ->type_name(ValueName(row.unit))
          ->group(TitleOf(row.group));
  if (row.value == kAuto) {
    option->transform(AutoOrNumber())->default_str("auto");
    return;
  }
  option->check(CLI::Range(row.range.least, row.range.most).description(""));
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
  app->add_flag("--check-config", config->check_config,
                "say whether the server could start so, and end")
      ->configurable(false);
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
          "HOST:PORT, or a PORT of this machine, to listen on");
  app->add_flag("--insecure", config->insecure,
                "allow traffic with other machines without TLS: calls, metrics "
                "and blobs");
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

}  // namespace bvhmill::server
