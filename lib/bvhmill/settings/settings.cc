#include "bvhmill/settings/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

constexpr std::string_view kNameBytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// True if the rest of a line is empty or a comment. `text` is trimmed.
bool IsOver(std::string_view text) {
  return text.empty() || text.front() == '#';
}

bool IsName(std::string_view word) {
  return !word.empty() && word.front() != '.' && word.back() != '.' &&
         word.find_first_not_of(kNameBytes) == word.npos;
}

// The lines of a text without blanks at their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // False after the last line.
  bool Next(std::string_view* line) {
    if (text_.empty()) return false;
    const size_t end = text_.find('\n');
    *line = Trimmed(text_.substr(0, end));
    text_.remove_prefix(end == text_.npos ? text_.size() : end + 1);
    ++number_;
    return true;
  }
  // If `line` is over, moves to the next line that has more than a comment;
  // false if there is none.
  bool SkipComments(std::string_view* line) {
    *line = Trimmed(*line);
    while (IsOver(*line)) {
      if (!Next(line)) return false;
    }
    return true;
  }
  // The number of the last line.
  int number() const { return number_; }

 private:
  std::string_view text_;
  int number_ = 0;
};

// Removes a value from the front of `text`. A value without quotes ends before
// one of the bytes `ends` and before a comment. Returns why there is none; else
// "".
std::string TakeValue(std::string_view ends, std::string_view* text,
                      std::string* value) {
  *text = Trimmed(*text);
  if (text->starts_with('"') || text->starts_with('\'')) {
    const size_t end = text->find(text->front(), 1);
    if (end == text->npos) return "has a quote without an end";
    *value = text->substr(1, end - 1);
    text->remove_prefix(end + 1);
    return "";
  }
  size_t size = 0;
  for (; size < text->size(); ++size) {
    const bool is_comment =
        (*text)[size] == '#' && (size == 0 || IsBlank((*text)[size - 1]));
    if (is_comment || ends.find((*text)[size]) != ends.npos) break;
  }
  *value = Trimmed(text->substr(0, size));
  text->remove_prefix(size);
  return value->empty() ? "has no value" : "";
}

// Removes the values of a list and its end, which may be on a later line.
std::string TakeList(Lines* lines, std::string_view* text,
                     std::vector<std::string>* values) {
  constexpr const char* kNoEnd = "has a list without an end";
  while (true) {
    if (!lines->SkipComments(text)) return kNoEnd;
    if (text->front() == ']') break;
    std::string why = TakeValue(",]", text, &values->emplace_back());
    if (!why.empty()) return why;
    if (!lines->SkipComments(text)) return kNoEnd;
    if (text->front() == ']') break;
    if (text->front() != ',') return "has no comma between two values";
    text->remove_prefix(1);
  }
  text->remove_prefix(1);
  return values->empty() ? "has no value" : "";
}

// Parses the text after the "=" of a line.
std::string TakeValues(Lines* lines, std::string_view text,
                       std::vector<std::string>* values) {
  text = Trimmed(text);
  std::string why;
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    why = TakeList(lines, &text, values);
  } else {
    why = TakeValue("", &text, &values->emplace_back());
  }
  if (!why.empty()) return why;
  return IsOver(Trimmed(text)) ? "" : "has text after its value";
}

// The reason why `line` sets nothing, with the most similar name.
std::string NotASetting(std::string_view line,
                        const std::vector<std::string_view>& known) {
  const size_t begin = std::min(line.find_first_of(kNameBytes), line.size());
  const std::string_view rest = line.substr(begin);
  const std::string_view word =
      rest.substr(0, rest.find_first_not_of(kNameBytes));
  const std::string_view nearest = Nearest(word, known);
  return "is not NAME = VALUE" +
         (nearest.empty()
              ? std::string()
              : "; did you mean '" + std::string(nearest) + " = ...'?");
}

// Parses one line, and the further lines of its list.
std::string ReadLine(std::string_view line, const std::string& section,
                     const std::vector<std::string_view>& known, Lines* lines,
                     Setting* setting) {
  setting->section = section;
  if (line.front() == '[') {
    const size_t end = std::min(line.find(']'), line.size() - 1);
    const std::string_view word = Trimmed(line.substr(1, end - 1));
    setting->section = word;
    return IsName(word) && IsOver(Trimmed(line.substr(end + 1)))
               ? ""
               : "is not [SECTION]";
  }
  const size_t equals = line.find('=');
  std::string_view name = Trimmed(line.substr(0, equals));
  if (equals == line.npos || !IsName(name)) return NotASetting(line, known);
  if (const size_t dot = name.rfind('.'); dot != name.npos) {
    setting->section += (section.empty() ? "" : ".");
    setting->section += name.substr(0, dot);
    name.remove_prefix(dot + 1);
  }
  setting->name = name;
  return TakeValues(lines, line.substr(equals + 1), &setting->values);
}

// The line of the first control character that is not a blank or a line end; 0
// if there is none.
int LineOfOddByte(std::string_view text) {
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool is_text = static_cast<unsigned char>(c) >= ' ' || c == '\n' ||
                         c == '\t' || c == '\r';
    if (!is_text || c == '\x7F') return line;
  }
  return 0;
}

// INVALID_ARGUMENT "PATH:LINE: why".
absl::Status WrongSetting(const std::string& path, int line,
                          const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    path + ":" + std::to_string(line) + ": " + why);
}

// The environment.

// Every option of the server and of the command line that the environment can
// set, except for the options of conversions, which callers pass. A test
// compares the list with their options.
constexpr std::string_view kOptions =
    "again all all-bones baseline "
    "blob-retention-seconds blobs config csv data-dir delete drain-seconds "
    "dry-run "
    "ease-in ease-out emit emote exclude expectations fail-on filelist files0 "
    "follow force format from hand-pose handshake-seconds http http-files "
    "http-origins idle-between-seconds idle-seconds include "
    "insecure job-lease-seconds job-retention-seconds jobs jobs-database "
    "joint-priority json keepalive-seconds keepalive-timeout-seconds keys "
    "listen local log loop max-blob-bytes max-calls max-channels "
    "max-clip-bytes "
    "max-clip-memory-bytes max-clip-work max-clip-work-per-byte "
    "max-connection-age-grace-seconds max-connection-age-seconds "
    "max-connection-idle-seconds max-connections "
    "max-connections-per-address "
    "max-data-bytes max-data-bytes-per-caller max-depth "
    "max-frames max-header-bytes max-inflight-bytes "
    "max-inflight-bytes-per-caller max-inflight-bytes-per-connection "
    "max-inflight-clips max-inflight-clips-per-caller "
    "max-inflight-clips-per-connection max-issues-per-report max-item-tries "
    "max-items-per-job max-jobs-per-caller "
    "max-joints max-line-bytes max-name-bytes max-output-bytes "
    "max-outputs-per-clip max-queued-items max-queued-items-per-caller "
    "max-request-message-bytes max-request-seconds "
    "max-streams max-streams-per-caller max-streams-per-connection "
    "max-total-stream-bytes max-transport-bytes max-unary-response-bytes "
    "max-unfinished-bytes-per-stream max-unfinished-clips-per-stream "
    "max-unsent-bytes-per-stream max-wait-seconds metrics "
    "min-free-disk-bytes min-ping-seconds min-upload-bytes-per-second name "
    "no-expectations no-loop no-reference output page passed priority progress "
    "quiet recommended-chunk-bytes recursive reflection report-jsonl resume "
    "retime s3-ca s3-credentials s3-endpoint s3-region server severity summary "
    "table threads timeout tls-ca tls-cert tls-client-ca tls-key tls-system "
    "token-file upload wait write-baseline";

// Variables without an option: of ./dev, of setup.py, and of tests and
// benchmarks.
constexpr std::string_view kOthers[] = {
    "BVHMILL_BIN",          "BVHMILL_BUILD_DIR", "BVHMILL_CASES_XML",
    "BVHMILL_CHROMIUM",     "BVHMILL_DATA",      "BVHMILL_JOBS",
    "BVHMILL_KILLS",        "BVHMILL_PAGE",      "BVHMILL_ROUNDS",
    "BVHMILL_SOAK_SECONDS", "BVHMILL_TAKES",     "BVHMILL_UPDATE_GOLDEN",
    "BVHMILL_WASM",         "BVHMILL_WASM_DIR",  "BVHMILL_WHEEL_DIR"};

constexpr std::string_view kPrefix = "BVHMILL_";

// True for the variables that Kubernetes sets for a service: its name with
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

absl::Status NoSuchSetting(const std::string& path, const Setting& setting,
                           const std::string& kind,
                           const std::vector<std::string_view>& known) {
  std::string whole = setting.section;
  if (!whole.empty() && !setting.name.empty()) whole += '.';
  whole += setting.name;
  return WrongSetting(
      path, setting.line,
      "there is no " + kind + " '" + whole + "'" +
          DidYouMean(setting.name.empty() ? whole : setting.name, known));
}

absl::StatusOr<std::vector<Setting>> ParseSettings(
    const std::string& path, std::string_view text,
    const std::vector<std::string_view>& known) {
  // Some editors begin a text with a byte order mark.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (const int line = LineOfOddByte(text); line != 0) {
    return WrongSetting(path, line, "has a byte that is no text");
  }
  std::vector<Setting> settings;
  std::map<std::string, int> lines_of_names;
  std::string section;
  bool is_empty = true;
  Lines lines(text);
  for (std::string_view line; lines.Next(&line);) {
    is_empty &= line.empty();
    if (IsOver(line)) continue;
    Setting& setting = settings.emplace_back();
    setting.line = lines.number();
    const std::string why = ReadLine(line, section, known, &lines, &setting);
    if (!why.empty()) return WrongSetting(path, setting.line, why);
    if (setting.name.empty()) {
      section = setting.section;
      continue;
    }
    const auto [first, is_new] = lines_of_names.emplace(
        setting.section + "." + setting.name, setting.line);
    if (is_new) continue;
    return WrongSetting(path, setting.line,
                        "sets '" + setting.name + "' once more; line " +
                            std::to_string(first->second) + " has set it");
  }
  if (!is_empty) return settings;
  return MakeStatus(absl::StatusCode::kInvalidArgument, path + " is empty");
}

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
