#include "bvhmill/settings/variables.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bvhmill/base/nearest.h"

namespace bvhmill {
namespace {

// Every option of the server and of the command line that the environment can
// set, but for those of conversions, which callers know. A test compares the
// list with their options.
constexpr std::string_view kOptions =
    "again all all-bones baseline "
    "blob-retention-seconds blobs config data-dir drain-seconds dry-run "
    "ease-in ease-out emit emote expectations fail-on filelist force format "
    "from hand-pose handshake-seconds idle-between-seconds idle-seconds "
    "insecure job-lease-seconds job-retention-seconds jobs jobs-database "
    "joint-priority json keepalive-seconds keepalive-timeout-seconds keys "
    "listen local log loop max-blob-bytes max-channels max-clip-bytes "
    "max-clip-memory-bytes max-clip-work max-clip-work-per-byte "
    "max-connection-age-grace-seconds max-connection-age-seconds "
    "max-connections max-data-bytes max-data-bytes-per-caller max-depth "
    "max-frames max-header-bytes max-inflight-bytes "
    "max-inflight-bytes-per-caller max-inflight-bytes-per-connection "
    "max-inflight-clips max-inflight-clips-per-caller "
    "max-inflight-clips-per-connection max-issues-per-report max-item-tries "
    "max-items-per-job max-job-bytes-per-caller max-jobs-per-caller "
    "max-joints max-line-bytes max-name-bytes max-output-bytes "
    "max-outputs-per-clip max-queued-items max-queued-items-per-caller "
    "max-request-message-bytes max-request-seconds max-stray-bytes "
    "max-streams max-streams-per-caller max-streams-per-connection "
    "max-total-stream-bytes max-transport-bytes max-unary-response-bytes "
    "max-unfinished-bytes-per-stream max-unfinished-clips-per-stream "
    "max-unheard-calls max-unsent-bytes-per-stream max-wait-seconds metrics "
    "min-free-disk-bytes min-ping-seconds min-upload-bytes-per-second name "
    "no-expectations no-loop no-reference output priority progress quiet "
    "recommended-chunk-bytes recursive reflection report-jsonl resume retime "
    "s3-ca s3-credentials s3-endpoint s3-region server severity summary "
    "table threads timeout tls-ca tls-cert tls-client-ca tls-key tls-system "
    "token-file upload wait write-baseline";

// Variables without an option: of ./dev, of setup.py, and of tests and
// benchmarks.
constexpr std::string_view kOthers[] = {
    "BVHMILL_BIN",      "BVHMILL_BUILD_DIR",    "BVHMILL_CASES_XML",
    "BVHMILL_CHROMIUM", "BVHMILL_DATA",         "BVHMILL_JOBS",
    "BVHMILL_KILLS",    "BVHMILL_SOAK_SECONDS", "BVHMILL_UPDATE_GOLDEN",
    "BVHMILL_WHEEL_DIR"};

constexpr std::string_view kPrefix = "BVHMILL_";

// True for the variables that Kubernetes makes for a service: its name with
// _SERVICE_HOST, _SERVICE_PORT, _PORT and more after them.
bool IsOfKubernetes(const std::string& name) {
  for (const char* part : {"_SERVICE_", "_PORT"}) {
    const size_t end = name.find(part);
    if (end == name.npos) continue;
    const std::string host = name.substr(0, end) + "_SERVICE_HOST";
    if (std::getenv(host.c_str()) != nullptr) return true;
  }
  return false;
}

bool IsKnown(const std::string& name,
             const std::vector<std::string_view>& options) {
  const auto is_name = [&](std::string_view option) {
    return VariableOf(option) == name;
  };
  return std::any_of(options.begin(), options.end(), is_name) ||
         std::find(std::begin(kOthers), std::end(kOthers), name) !=
             std::end(kOthers) ||
         IsOfKubernetes(name);
}

// The option whose variable is similar to `name`, as the end of a message.
std::string DidYouMeanVariable(const std::string& name,
                               const std::vector<std::string_view>& options) {
  std::string word = name.substr(kPrefix.size());
  std::replace(word.begin(), word.end(), '_', '-');
  const std::string_view nearest = Nearest(word, options);
  return nearest.empty() ? "" : "; did you mean '" + VariableOf(nearest) + "'?";
}

}  // namespace

std::string VariableOf(std::string_view option) {
  std::string name(kPrefix);
  for (const char c : option) {
    const bool is_small = c >= 'a' && c <= 'z';
    name += c == '-' ? '_' : is_small ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

const std::vector<std::string_view>& OptionsOfVariables() {
  static const std::vector<std::string_view> options = [] {
    std::vector<std::string_view> words;
    for (std::string_view rest = kOptions; !rest.empty();) {
      const size_t size = std::min(rest.find(' '), rest.size());
      words.push_back(rest.substr(0, size));
      rest.remove_prefix(std::min(size + 1, rest.size()));
    }
    return words;
  }();
  return options;
}

std::vector<std::string> UnknownVariables(std::span<const std::string> more) {
  std::vector<std::string_view> options = OptionsOfVariables();
  options.insert(options.end(), more.begin(), more.end());
  std::vector<std::string> lines;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    std::string name(variable.substr(0, variable.find('=')));
    if (!name.starts_with(kPrefix) || IsKnown(name, options)) continue;
    const std::string hint = DidYouMeanVariable(name, options);
    const auto is_odd = [](char c) { return c < ' ' || c > '~'; };
    std::replace_if(name.begin(), name.end(), is_odd, '?');
    lines.push_back(name.append(" sets nothing").append(hint));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace bvhmill
