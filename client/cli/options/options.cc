#include "client/cli/options/options.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/report.h"
#include "client/cli/options/help.h"

namespace bvhmill::client {
namespace {

// Options whose value is a file that is read.
constexpr const char* kReadingOptions[] = {
    "--anim-constraints", "--anim-map", "--baseline",  "--config",
    "--expectations",     "--filelist", "--joint-map", "--tls-ca",
    "--tls-cert",         "--tls-key",  "--token-file"};

// Lines of help have 80 columns, and their text begins in the 29th.
static_assert(std::all_of(std::begin(kClipLimits), std::end(kClipLimits),
                          [](const LimitRow<Limits>& limit) {
                            return limit.help.size() <= 52;
                          }));

// True if the user may choose the limit for a conversion in this process.
bool IsLocal(const LimitRow<Limits>& limit) {
  return limit.setter == LimitSetter::kOperatorOrLocalUser;
}

constexpr const char* kServerOptions[] = {
    "--server",  "--tls-system", "--tls-ca", "--tls-cert",
    "--tls-key", "--token-file", "--timeout"};

constexpr int kMaxJobs = 1024;
constexpr int kMaxTimeoutSeconds = 1'000'000;

// A check without a word about itself in help.
CLI::Validator WholeNumber(int64_t least, int64_t most) {
  return {[least, most](const std::string& word) {
            int64_t value = 0;
            if (CLI::detail::lexical_cast(word, value) && value >= least &&
                value <= most) {
              return std::string();
            }
            std::string range = "from " + std::to_string(least);
            if (most < std::numeric_limits<int64_t>::max()) {
              range += " to " + std::to_string(most);
            }
            return "'" + word + "' is not a whole number " + range;
          },
          ""};
}

// The first option about servers on the command line; empty if there is none.
std::string TypedServerOption(const Session& session) {
  for (const char* option : kServerOptions) {
    if (IsTyped(session, option)) return option;
  }
  return {};
}

// The first limit on the command line; empty if there is none.
std::string TypedLimit(const Session& session) {
  for (const LimitRow<Limits>& limit : kClipLimits) {
    const std::string option = FlagOfLimit(limit.name);
    if (IsLocal(limit) && IsTyped(session, option)) return option;
  }
  return {};
}

}  // namespace

std::string CheckWord(const std::string& word,
                      const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return {};
  return "'" + word + "' is none of " + CLI::detail::join(words, ", ") +
         DidYouMean(word, {words.begin(), words.end()});
}

std::string CheckIssueCode(const std::string& word) {
  if (FindEntry(word) != nullptr) return {};
  std::vector<std::string_view> codes;
  for (const CatalogueEntry& entry : Catalogue()) codes.push_back(entry.name);
  const std::string hint = DidYouMean(word, codes);
  return "'" + word + "' is not an issue code" +
         (hint.empty() ? "; 'bvhmill explain' lists all codes" : hint);
}

std::string CheckIssueCodes(const std::string& word) {
  return NamesAnyCode(word) ? "" : CheckIssueCode(word);
}

void AddServerOptions(CLI::App* app, const std::string& what,
                      ConnectOptions* connect) {
  const char* group = "Server";
  connect->server.clear();
  app->add_option("--server", connect->server,
                  what +
                      ";\nPORT alone means a server on this machine; with\n"
                      "several servers, calls take turns")
      ->type_name("HOST:PORT[,..]")
      ->join(',')
      ->group(group);
  const auto add = [&](const char* name, std::string* value, const char* help) {
    app->add_option(name, *value, help)->type_name("FILE")->group(group);
  };
  app->add_flag("--tls-system", connect->tls_system,
                "use TLS; trust the authorities of this system")
      ->group(group);
  add("--tls-ca", &connect->tls_ca, "use TLS; trust the certificates in FILE");
  app->get_option("--tls-ca")->excludes("--tls-system");
  add("--tls-cert", &connect->tls_cert,
      "use TLS; send the certificate in FILE");
  add("--tls-key", &connect->tls_key, "private key of the certificate");
  add("--token-file", &connect->token_file,
      "send the token in FILE with each call");
  app->add_option_function<int64_t>(
         "--timeout",
         [connect](int64_t seconds) {
           connect->answer_timeout = std::chrono::seconds(seconds);
         },
         "end a call if the server is silent for this long;\n"
         "default 900, 0 = no limit")
      ->type_name("SECONDS")
      ->check(WholeNumber(0, kMaxTimeoutSeconds))
      ->group(group);
}

void AddLocalOptions(CLI::App* app, RunOptions* run) {
  app->add_flag("--local", run->local,
                "convert in this process, even if BVHMILL_SERVER\n"
                "names a server")
      ->group("Server");
  for (const LimitRow<Limits>& limit : kClipLimits) {
    if (!IsLocal(limit)) continue;
    app->add_option(FlagOfLimit(limit.name), run->limits.*limit.member,
                    std::string(limit.help))
        ->type_name(ValueName(limit.unit))
        ->check(WholeNumber(limit.range.least, limit.range.most))
        ->group("Limits in this process (0 = none)");
  }
}

void AddInputOptions(CLI::App* app, InputOptions* input) {
  app->add_option("INPUT", input->paths,
                  "BVH and .anim files; folders with -r; - is stdin");
  const char* group = "Input";
  app->add_flag("-r,--recursive", input->recursive,
                "read all *.bvh (also packed: .bvh.gz, .bvh.zst) in\n"
                "folders and their subfolders, sorted by path; with\n"
                "--from, the files of that format. Names that begin\n"
                "with a dot and links to folders are skipped")
      ->group(group);
  app->add_flag("--follow", input->follow,
                "with -r, also search the folders that links name")
      ->group(group);
  const auto add_globs = [&](const char* name, std::vector<std::string>* globs,
                             const char* help) {
    app->add_option(name, *globs, help)
        ->type_name("GLOB")
        ->allow_extra_args(false)
        ->group(group);
  };
  add_globs("--include", &input->include,
            "with -r, read only files whose name fits, such as\n"
            "'walk_*'; a GLOB with a slash is for the path below the\n"
            "folder. May be repeated");
  add_globs("--exclude", &input->exclude,
            "with -r, skip files and folders whose name fits");
  std::vector<std::pair<std::string, std::optional<SourceFormat>>> formats;
  std::string names;
  for (const SourceFormatInfo& info : SourceFormats()) {
    formats.emplace_back(info.name, info.format);
    names += (names.empty() ? "" : " or ") + std::string(info.name);
  }
  AddChoice(app, "--from", &input->from, formats,
            "format of the inputs: " + names +
                "; default: by the\nextension, and bvh if it names no format")
      ->group(group);
  app->add_option("--filelist", input->filelist,
                  "read the paths in FILE, one per line; - is stdin")
      ->type_name("FILE")
      ->group(group);
  app->add_flag("--files0", input->list_has_zeros,
                "the paths of --filelist end in a zero byte, as\n"
                "'find -print0' writes them")
      ->group(group);
}

void AddBatchOptions(CLI::App* app, RunOptions* run) {
  const char* group = "Run";
  app->add_option("-j,--jobs", run->jobs,
                  "work on N files at once; default: one per core, two if\n"
                  "a server converts them")
      ->type_name("N")
      ->check(WholeNumber(0, kMaxJobs))
      ->group(group);
  app->add_flag("-q,--quiet", run->quiet,
                "print nothing to stderr but failures")
      ->group(group);
  AddChoice<ProgressMode>(app, "--progress", &run->progress,
                          {{"auto", ProgressMode::kAuto},
                           {"always", ProgressMode::kAlways},
                           {"never", ProgressMode::kNever}},
                          "auto (if stderr is a terminal), always or never;\n"
                          "default auto")
      ->group(group);
}

std::set<FileId> FilesReadBy(const CLI::App* app) {
  std::set<FileId> ids;
  for (; app != nullptr; app = app->get_parent()) {
    for (const char* name : kReadingOptions) {
      const CLI::Option* option = app->get_option_no_throw(name);
      if (option == nullptr || option->empty()) continue;
      const std::optional<FileId> id = IdOfFile(option->results().front());
      if (id) ids.insert(*id);
    }
  }
  return ids;
}

void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on) {
  AddChoice<std::optional<FailOn>>(
      app, "--fail-on", fail_on,
      {{"error", FailOn::kError}, {"warning", FailOn::kWarning}},
      "a clip fails if it has an issue of this severity:\n"
      "error or warning; default error")
      ->group("Report");
}

bool Passes(const Report& report, std::optional<FailOn> fail_on) {
  return IsGood(report.verdict) && report.counts.errors == 0 &&
         (fail_on != FailOn::kWarning || report.counts.warnings == 0);
}

std::vector<std::string> LongNames(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    const std::vector<std::string>& longs = option->get_lnames();
    names.insert(names.end(), longs.begin(), longs.end());
  }
  return names;
}

int Misused(const CLI::App* app, Session* session, const std::string& why) {
  session->console->PrintDiagnostics(UsageFailure(app, why));
  return kExitUsage;
}

std::string ChooseEngine(const Session& session, RunOptions* run) {
  const bool typed_local = run->local && IsTyped(session, "--local");
  const std::string typed_server = TypedServerOption(session);
  if (typed_local && !typed_server.empty()) {
    return typed_server + " has no effect with --local";
  }
  if (run->local && !IsTyped(session, "--server")) run->connect.server.clear();
  if (IsTyped(session, "--server") && run->connect.server.empty()) {
    return "--server names no server; it takes HOST:PORT or PORT";
  }
  if (!run->connect.server.empty()) {
    const std::string limit = TypedLimit(session);
    return limit.empty() ? limit
                         : limit + " has no effect with --server: a server " +
                               "has limits of its own";
  }
  return typed_server.empty()
             ? typed_server
             : typed_server + " has no effect without --server";
}

}  // namespace bvhmill::client
