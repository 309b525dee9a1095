#include "client/cli/dataset/baseline.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

using nlohmann::json;

// The version of the format, in the first line. Version 1 has no kinds.
constexpr int kVersion = 2;
constexpr int kFirstVersion = 1;
constexpr int64_t kMaxBytes = int64_t{256} << 20;

absl::Status Wrong(const std::string& path, int64_t line, const char* why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    Printable(path) + ":" + std::to_string(line) + ": " + why);
}

int64_t& CountOf(Severity severity, IssueCounts* counts) {
  switch (severity) {
    case Severity::kError:
      return counts->errors;
    case Severity::kWarning:
      return counts->warnings;
    case Severity::kInfo:
      return counts->infos;
    case Severity::kHint:
      break;
  }
  return counts->hints;
}

// Removes the next line from `text` and returns it.
std::string TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  std::string line(text->substr(0, end));
  text->remove_prefix(std::min(end + 1, text->size()));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// The frames that an issue lists, ascending. A very frequent issue lists only
// the first ones.
std::vector<int64_t> FramesOf(const Issue& issue) {
  std::vector<int64_t> frames = ListedFrames(issue);
  const bool is_single = issue.occurrences == 1 && issue.location.frame;
  if (frames.empty() && is_single) frames = {*issue.location.frame};
  return frames;
}

// All frames of the issue, ascending; empty if it does not list all of them.
std::vector<int64_t> AllFramesOf(const Issue& issue) {
  std::vector<int64_t> frames = FramesOf(issue);
  if (std::cmp_less(frames.size(), issue.occurrences)) frames.clear();
  return frames;
}

// True if the issue says that some rules did not apply to its clip.
bool SaysNotJudged(const Issue& issue) {
  return ArgOf(issue, "rows").ends_with("not judged") ||
         !ArgOf(issue, "left_out").empty();
}

}  // namespace

Baseline::Baseline(const std::string& path)
    : folder_(std::filesystem::path(path).parent_path().string()),
      rules_version_(kRulesVersion) {}

Baseline::Baseline(Baseline&& other) noexcept
    : folder_(std::move(other.folder_)),
      rules_version_(std::move(other.rules_version_)),
      known_(std::move(other.known_)),
      not_judged_(other.not_judged_) {}

absl::Status Baseline::ReadLine(const std::string& line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  const absl::Status wrong = MakeStatus(absl::StatusCode::kInvalidArgument, "");
  if (!object.is_object()) return wrong;
  const auto text = [&](const char* key) {
    return object.contains(key) && object[key].is_string();
  };
  const auto number = [&](const char* key) {
    return object.contains(key) && object[key].is_number_integer();
  };
  const bool is_whole = text("file") && text("code") && text("joint_name") &&
                        number("joint") && number("occurrences") &&
                        (text("kind") || !object.contains("kind"));
  if (!is_whole) return wrong;
  Known known;
  known.occurrences = object["occurrences"].get<int64_t>();
  if (const auto frames = object.find("frames"); frames != object.end()) {
    for (const json& frame : *frames) {
      if (!frame.is_number_integer()) return wrong;
      known.frames.push_back(frame.get<int64_t>());
    }
  }
  if (text("severity")) {
    known.severity = SeverityNamed(object["severity"].get<std::string>());
    if (!known.severity) return wrong;
  }
  known_[{object["file"].get<std::string>(), object["code"].get<std::string>(),
          object["joint"].get<int32_t>(),
          object["joint_name"].get<std::string>(),
          object.value("kind", std::string())}] = std::move(known);
  return absl::OkStatus();
}

absl::StatusOr<Baseline> Baseline::Read(const std::string& path,
                                        const CancelToken* cancel) {
  Input input;
  input.path = path;
  ClipText bytes;
  const absl::Status status = ReadClip(input, kMaxBytes, cancel, &bytes);
  if (!status.ok()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      Printable(path) + ": " + std::string(MessageOf(status)));
  }
  std::string_view text = ViewOf(bytes);
  const json head = json::parse(TakeLine(&text), nullptr, false);
  const auto has_version = [&](int version) {
    return head["baseline"] == version;
  };
  const bool is_baseline =
      head.is_object() && head.contains("baseline") &&
      (has_version(kVersion) || has_version(kFirstVersion)) &&
      head.contains("rules_version") && head["rules_version"].is_string();
  if (!is_baseline) return Wrong(path, 1, "this is no baseline of bvhmill");
  Baseline baseline(path);
  baseline.rules_version_ = head["rules_version"].get<std::string>();
  for (int64_t line = 2; !text.empty(); ++line) {
    const std::string words = TakeLine(&text);
    if (words.empty()) continue;
    if (!baseline.ReadLine(words).ok()) {
      return Wrong(path, line, "this is no line of a baseline");
    }
  }
  return baseline;
}

Baseline::Key Baseline::KeyOf(const std::string& file, const Issue& issue) {
  return {file, issue.code, issue.location.joint.value_or(-1),
          issue.location.joint_name, ArgOf(issue, kKindArg)};
}

Baseline::Known* Baseline::Find(const std::string& file, const Issue& issue) {
  Key key = KeyOf(file, issue);
  auto known = known_.find(key);
  if (known == known_.end()) {
    std::get<4>(key).clear();
    known = known_.find(key);
  }
  return known == known_.end() ? nullptr : &known->second;
}

void Baseline::Add(const std::string& path, const Report& report) {
  const std::string file = KeyOfName(PathFrom(folder_, path));
  const std::lock_guard lock(mutex_);
  for (const Issue& issue : report.issues) {
    Known& known = known_[KeyOf(file, issue)];
    const bool is_first = known.occurrences == 0;
    known.occurrences += issue.occurrences;
    known.severity =
        std::min(issue.severity, known.severity.value_or(issue.severity));
    known.frames = is_first ? AllFramesOf(issue) : std::vector<int64_t>();
  }
}

int64_t Baseline::TakeOut(const std::string& path, const ReportOptions& options,
                          Report* report) {
  const std::string file = KeyOfName(PathFrom(folder_, path));
  const std::lock_guard lock(mutex_);
  const Key first = {file, "", std::numeric_limits<int32_t>::min(), "", ""};
  for (auto it = known_.lower_bound(first);
       it != known_.end() && std::get<0>(it->first) == file; ++it) {
    it->second.is_looked_for =
        !report->truncated && IsListed(options, std::get<1>(it->first));
  }
  std::map<Known*, int64_t> occurrences;
  for (const Issue& issue : report->issues) {
    Known* const known = Find(file, issue);
    if (known == nullptr) continue;
    known->is_found = true;
    occurrences[known] += issue.occurrences;
  }
  bool hides_reason = false;
  const auto removed = std::erase_if(report->issues, [&](const Issue& issue) {
    Known* const known = Find(file, issue);
    if (known == nullptr || IsWorse(issue, *known) ||
        occurrences[known] > known->occurrences) {
      return false;
    }
    CountOf(issue.severity, &report->counts) -= issue.occurrences;
    hides_reason = hides_reason || SaysNotJudged(issue);
    return true;
  });
  not_judged_ += hides_reason ? 1 : 0;
  for (Issue& issue : report->issues) {
    if (const Known* known = Find(file, issue)) StateNews(*known, &issue);
  }
  return static_cast<int64_t>(removed);
}

bool Baseline::IsWorse(const Issue& issue, const Known& known) {
  return issue.severity < known.severity.value_or(issue.severity);
}

void Baseline::StateNews(const Known& known, Issue* issue) {
  if (IsWorse(*issue, known)) {
    const std::string word(SeverityName(*known.severity));
    issue->message += "; more severe than in the baseline: " + word + " there";
    issue->args.emplace_back("known_severity", word);
  }
  if (known.frames.empty()) return;
  const std::vector<int64_t> frames = FramesOf(*issue);
  std::vector<int64_t> fresh;
  std::set_difference(frames.begin(), frames.end(), known.frames.begin(),
                      known.frames.end(), std::back_inserter(fresh));
  if (fresh.empty()) return;
  const std::string list = FrameList(fresh);
  issue->message += std::string("; new since the baseline: frame") +
                    (fresh.size() > 1 ? "s " : " ") + list;
  issue->args.emplace_back("new_frames", list);
}

BaselineMatch Baseline::Match(std::span<const std::string> paths) const {
  std::set<std::string> files;
  for (const std::string& path : paths) {
    files.insert(KeyOfName(PathFrom(folder_, path)));
  }
  BaselineMatch match;
  const std::lock_guard lock(mutex_);
  match.not_judged = not_judged_;
  for (const auto& [key, known] : known_) {
    const std::string& file = std::get<0>(key);
    ++match.all;
    match.looked_for += known.is_looked_for ? 1 : 0;
    match.found += known.is_looked_for && known.is_found ? 1 : 0;
    if (files.contains(file)) continue;
    ++match.elsewhere;
    std::vector<std::string>* const elsewhere = &match.files_elsewhere;
    // The keys are sorted by file.
    if (elsewhere->empty() || elsewhere->back() != file) {
      elsewhere->push_back(file);
    }
  }
  return match;
}

std::string Baseline::Text() const {
  const std::lock_guard lock(mutex_);
  std::string out = JsonObject({{"baseline", std::to_string(kVersion)},
                                {"rules_version", JsonQuote(rules_version_)}}) +
                    "\n";
  for (const auto& [key, known] : known_) {
    const auto& [file, code, joint, name, kind] = key;
    const std::string severity(known.severity ? SeverityName(*known.severity)
                                              : std::string_view());
    out += JsonObject({{"file", JsonQuote(file)},
                       {"code", JsonQuote(code)},
                       {"severity", JsonQuote(severity)},
                       {"joint", std::to_string(joint)},
                       {"joint_name", JsonQuote(name)},
                       {"kind", JsonQuote(kind)},
                       {"occurrences", std::to_string(known.occurrences)},
                       {"frames", "[" + FrameList(known.frames) + "]"}}) +
           "\n";
  }
  return out;
}

namespace {

// Files that are named.
constexpr size_t kMaxFiles = 5;

std::string FoundAgain(const BaselineMatch& match) {
  return std::to_string(match.found) + " of " +
         Count(match.looked_for, "known issue") + " found again";
}

// A note about known issues of clips that were not checked as a whole, and of
// codes that are not listed.
std::string NotLookedFor(int64_t left) {
  return Count(left, "known issue") + (left == 1 ? " was" : " were") +
         " not looked for";
}

std::string Elsewhere(const BaselineMatch& match) {
  const std::vector<std::string>& files = match.files_elsewhere;
  std::string text = Count(match.elsewhere, "known issue") +
                     (match.elsewhere == 1 ? " is" : " are") + " of " +
                     Count(static_cast<int64_t>(files.size()), "file") +
                     (files.size() == 1 ? " that is" : " that are") +
                     " not among the inputs: ";
  const size_t named = std::min(files.size(), kMaxFiles);
  for (size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(NameOfKey(files[i]));
  }
  if (files.size() > named) {
    text += " and " + std::to_string(files.size() - named) + " more";
  }
  return text;
}

std::string NotJudged(int64_t clips) {
  return "the motion of " + Count(clips, "clip") +
         " is not judged by all rules, as known issues say: new faults may be "
         "missed";
}

}  // namespace

std::string BaselineUse(const std::string& path, const Baseline& baseline,
                        std::span<const Input> inputs) {
  std::vector<std::string> paths;
  for (const Input& input : inputs) paths.push_back(input.path);
  const BaselineMatch match = baseline.Match(paths);
  const std::string note = Printable(path) + ": note: ";
  std::string out;
  if (match.looked_for > 0) out += note + FoundAgain(match) + "\n";
  if (match.not_judged > 0) out += note + NotJudged(match.not_judged) + "\n";
  const int64_t left = match.all - match.looked_for - match.elsewhere;
  if (left > 0) out += note + NotLookedFor(left) + "\n";
  if (match.elsewhere > 0) out += note + Elsewhere(match) + "\n";
  if (match.elsewhere > 0 && match.elsewhere == match.all) {
    out += note + "it names files relative to its own folder\n";
  }
  if (baseline.rules_version() != kRulesVersion) {
    out += note + "the baseline was written with rules " +
           Printable(baseline.rules_version()) + ", and these are " +
           std::string(kRulesVersion) + "\n";
  }
  return out;
}

}  // namespace bvhmill::client
