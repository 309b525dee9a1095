#include "client/cli/dataset/expectations.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/thresholds.h"
#include "client/cli/dataset/dataset_tally.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

// MatchesPath runs the pattern as an automaton over the path: reached[i] is
// true if the part of the pattern so far matches the first i bytes of the path.
using Reached = std::vector<bool>;

// After a star, which matches any number of bytes.
void Extend(std::string_view path, bool with_slashes, Reached* reached) {
  for (size_t i = 0; i < path.size(); ++i) {
    const bool takes = with_slashes || path[i] != '/';
    if ((*reached)[i] && takes) (*reached)[i + 1] = true;
  }
}

// After "**/" at the start of a name, which matches any number of folders with
// their slashes, also none.
void ExtendByFolders(std::string_view path, Reached* reached) {
  bool has_begun = false;
  for (size_t i = 0; i < path.size(); ++i) {
    has_begun = has_begun || (*reached)[i];
    if (has_begun && path[i] == '/') (*reached)[i + 1] = true;
  }
}

// After a byte or a question mark.
void Step(std::string_view path, char wanted, Reached* reached) {
  for (size_t i = path.size(); i > 0; --i) {
    const char c = path[i - 1];
    const bool fits = wanted == '?' ? c != '/' : c == wanted;
    (*reached)[i] = (*reached)[i - 1] && fits;
  }
  (*reached)[0] = false;
}

}  // namespace

bool MatchesPath(std::string_view pattern, std::string_view path) {
  const size_t slash = path.rfind('/');
  if (pattern.find('/') == pattern.npos && slash != path.npos) {
    path.remove_prefix(slash + 1);
  }
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  Reached reached(path.size() + 1);
  reached[0] = true;
  char before = '/';
  while (!pattern.empty()) {
    const bool is_double = pattern.starts_with("**");
    size_t used = is_double ? 2 : 1;
    if (before == '/' && pattern.starts_with("**/")) {
      ExtendByFolders(path, &reached);
      used = 3;
    } else if (pattern.front() == '*') {
      Extend(path, is_double, &reached);
    } else {
      Step(path, pattern.front(), &reached);
    }
    before = pattern[used - 1];
    pattern.remove_prefix(used);
  }
  return reached[path.size()];
}

std::string WhyNoPattern(std::string_view pattern) {
  if (pattern.empty()) return "names no file";
  if (pattern.starts_with('/')) {
    return "begins with a slash; patterns are relative to this file";
  }
  if (pattern.ends_with('/')) return "names a folder; add ** for its files";
  const bool leaves = pattern == ".." || pattern.starts_with("../") ||
                      pattern.ends_with("/..") ||
                      pattern.find("/../") != std::string_view::npos;
  return leaves ? "has .. in it; only files below this file are meant" : "";
}

std::string PathFrom(const std::string& folder, const std::string& path) {
  namespace fs = std::filesystem;
  // The folder itself may be a link, which the name of a file keeps.
  std::error_code error;
  const fs::path name = RealName(folder);
  const fs::path real = fs::weakly_canonical(name, error);
  const fs::path to = RealName(path);
  const fs::path relative = to.lexically_relative(error ? name : real);
  return (relative.empty() ? to : relative).generic_string();
}

namespace {

std::string JoinedRates(const std::vector<double>& rates) {
  std::string out;
  for (const double rate : rates) {
    out += (out.empty() ? "" : " or ") + RateName(rate);
  }
  return out;
}

void CheckRate(const Expectations& expectations, const ClipTraits& traits,
               IssueLog* log) {
  const std::vector<double>& rates = expectations.frame_rates;
  if (rates.empty()) return;
  const bool is_expected =
      std::any_of(rates.begin(), rates.end(),
                  [&](double rate) { return RateName(rate) == traits.rate; });
  if (is_expected) return;
  log->Add(IssueCode::DATASET_FRAME_RATE, {},
           {{"rate", traits.rate.empty() ? "no rate" : traits.rate},
            {"expected", JoinedRates(rates)}});
}

void CheckSkeleton(const Expectations& expectations, const JointList& joints,
                   IssueLog* log) {
  if (!expectations.skeleton || joints.empty()) return;
  const ExpectedSkeleton& expected = *expectations.skeleton;
  const SkeletonDifference difference =
      expected.names.empty() ? CompareSkeletons(expected.joints, joints)
                             : CompareNames(expected.names, joints);
  if (difference.text.empty()) return;
  Location location;
  if (difference.joint >= 0) {
    location.joint = difference.joint;
    location.joint_name = joints[static_cast<size_t>(difference.joint)].name;
  }
  log->Add(IssueCode::DATASET_SKELETON, location,
           {{"difference", difference.text}});
}

// Adds no hint about the unit if the clip was not read as a whole.
void CheckUnit(const Expectations& expectations, const ClipTraits& traits,
               bool is_read, IssueLog* log) {
  if (!expectations.unit) return;
  if (!traits.unit) {
    if (is_read) {
      log->Add(IssueCode::DATASET_UNITS_UNKNOWN, {},
               {{"expected", expectations.unit->name}});
    }
    return;
  }
  if (expectations.unit->meters == traits.unit->meters) return;
  log->Add(
      IssueCode::DATASET_UNITS, {},
      {{"unit", traits.unit->name}, {"expected", expectations.unit->name}});
}

void CheckUp(const Expectations& expectations, const ClipTraits& traits,
             bool is_read, IssueLog* log) {
  if (expectations.up.empty()) return;
  if (traits.up.empty()) {
    if (is_read) {
      log->Add(IssueCode::DATASET_UP_AXIS_UNKNOWN, {},
               {{"expected", expectations.up}});
    }
    return;
  }
  if (expectations.up == traits.up) return;
  log->Add(IssueCode::DATASET_UP_AXIS, {},
           {{"axis", traits.up}, {"expected", expectations.up}});
}

}  // namespace

void ApplyTo(const Expectations& expectations, std::string_view below,
             ReportOptions* report) {
  for (const auto& [code, severity] : expectations.severities) {
    report->severities[code] = severity;
  }
  // The last value for a threshold counts, so the command line overrides the
  // file.
  report->thresholds.insert(report->thresholds.begin(),
                            expectations.thresholds.begin(),
                            expectations.thresholds.end());
  for (const IgnoredCodes& ignored : expectations.ignored) {
    const bool is_meant =
        ignored.files.empty() ||
        std::any_of(ignored.files.begin(), ignored.files.end(),
                    [below](const std::string& pattern) {
                      return MatchesPath(pattern, below);
                    });
    if (!is_meant) continue;
    report->ignore.insert(report->ignore.end(), ignored.codes.begin(),
                          ignored.codes.end());
  }
}

void CheckExpectations(const Expectations& expectations,
                       const ClipTraits& traits, const ReportOptions& options,
                       ConvertResult* result) {
  IssueLog log(options);
  // A clip that was refused is not known to lack a rate, and a pose needs none.
  const bool has_motion = result->status.ok() && result->info.frames > 1;
  if (has_motion || !traits.rate.empty()) {
    CheckRate(expectations, traits, &log);
  }
  if (traits.skeleton) {
    CheckSkeleton(expectations, result->info.joints, &log);
  }
  const bool is_read = result->status.ok();
  CheckUnit(expectations, traits, is_read, &log);
  CheckUp(expectations, traits, is_read, &log);
  if (log.added() == 0) return;
  AddToReport(log.Finish(true, true), &result->report);
}

namespace {

// A name of a unit, with the words of DATA_UNIT_GUESS.
struct UnitName {
  std::string_view word;
  std::string_view name;
  std::string_view meters;
};

constexpr std::array kUnits = {
    UnitName{"m", "meters", "1"}, UnitName{"cm", "centimeters", "0.01"},
    UnitName{"mm", "millimeters", "0.001"}, UnitName{"in", "inches", "0.0254"},
    UnitName{"cmu", "units of 1/0.45 inch, as CMU has them", "0.0564444"}};

// Parses one file. Stops at the first fault.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  absl::StatusOr<Expectations> Read(std::string_view text);

 private:
  using Words = std::vector<std::string>;

  // "PATH:LINE:COLUMN".
  std::string PlaceOf(const toml::source_region& place) const;
  absl::Status Wrong(const toml::source_region& place,
                     const std::string& why) const;
  absl::Status Wrong(const toml::node& node, const std::string& why) const {
    return Wrong(node.source(), why);
  }
  // Fails for a key of `table` that is not in `known`.
  absl::Status CheckKeys(const toml::table& table,
                         const std::vector<std::string_view>& known) const;
  absl::Status ReadTable(const toml::node& node, std::string_view name,
                         const toml::table** table) const;
  absl::Status ReadWord(const toml::node& node, std::string_view key,
                        std::string* word) const;
  // A word, or a list of words.
  absl::Status ReadWords(const toml::node& node, std::string_view key,
                         Words* words) const;
  absl::Status ReadCode(const toml::node& node, const std::string& code) const;

  absl::Status ReadExpect(const toml::node& node);
  absl::Status ReadRates(const toml::node& node);
  absl::Status ReadUnit(const toml::node& node);
  absl::Status ReadUp(const toml::node& node);
  absl::Status ReadSkeleton(const toml::node& node);
  absl::Status ReadIgnored(const toml::node& node);
  absl::Status ReadIgnoredEntry(const toml::node& node);
  absl::Status ReadSeverities(const toml::node& node);
  absl::Status ReadRules(const toml::node& node);

  const std::string& path_;
  Expectations result_;
};

std::string Reader::PlaceOf(const toml::source_region& place) const {
  return Printable(path_) + ":" + std::to_string(place.begin.line) + ":" +
         std::to_string(place.begin.column);
}

absl::Status Reader::Wrong(const toml::source_region& place,
                           const std::string& why) const {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    PlaceOf(place) + ": " + why);
}

absl::Status Reader::CheckKeys(
    const toml::table& table,
    const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) {
      continue;
    }
    return Wrong(key.source(), "there is no key '" + Printable(key.str()) +
                                   "'" + DidYouMean(key.str(), known));
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadTable(const toml::node& node, std::string_view name,
                               const toml::table** table) const {
  *table = node.as_table();
  return *table != nullptr
             ? absl::OkStatus()
             : Wrong(node, std::string(name) + " is not a table: write [" +
                               std::string(name) + "]");
}

absl::Status Reader::ReadWord(const toml::node& node, std::string_view key,
                              std::string* word) const {
  const std::optional<std::string> value = node.value_exact<std::string>();
  if (!value) return Wrong(node, std::string(key) + " is not text in quotes");
  *word = *value;
  return absl::OkStatus();
}

absl::Status Reader::ReadWords(const toml::node& node, std::string_view key,
                               Words* words) const {
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    return ReadWord(node, key, &words->emplace_back());
  }
  for (const toml::node& item : *list) {
    BVHMILL_RETURN_IF_ERROR(ReadWord(item, key, &words->emplace_back()));
  }
  return list->empty() ? Wrong(node, std::string(key) + " is an empty list")
                       : absl::OkStatus();
}

absl::Status Reader::ReadCode(const toml::node& node,
                              const std::string& code) const {
  const std::string wrong = CheckIssueCode(code);
  return wrong.empty() ? absl::OkStatus() : Wrong(node, wrong);
}

absl::Status Reader::ReadRates(const toml::node& node) {
  const auto add = [this](const toml::node& item) {
    const std::optional<double> rate = item.value<double>();
    if (!item.is_number() || !rate || !(*rate > 0) || !std::isfinite(*rate)) {
      return Wrong(item, "frame_rate is not a number of frames a second");
    }
    result_.frame_rates.push_back(*rate);
    return absl::OkStatus();
  };
  const toml::array* list = node.as_array();
  if (list == nullptr) return add(node);
  for (const toml::node& item : *list) BVHMILL_RETURN_IF_ERROR(add(item));
  return list->empty() ? Wrong(node, "frame_rate is an empty list")
                       : absl::OkStatus();
}

absl::Status Reader::ReadUnit(const toml::node& node) {
  std::string word;
  BVHMILL_RETURN_IF_ERROR(ReadWord(node, "units", &word));
  std::vector<std::string> words;
  for (const UnitName& unit : kUnits) {
    words.emplace_back(unit.word);
    if (unit.word != word) continue;
    result_.unit = {std::string(unit.name), std::string(unit.meters)};
    return absl::OkStatus();
  }
  return Wrong(node, "units: " + CheckWord(word, words));
}

absl::Status Reader::ReadUp(const toml::node& node) {
  std::string word;
  BVHMILL_RETURN_IF_ERROR(ReadWord(node, "up_axis", &word));
  const std::string wrong = CheckWord(word, {"x", "y", "z"});
  if (!wrong.empty()) return Wrong(node, "up_axis: " + wrong);
  result_.up = word == "y" ? "Y" : "Z";
  return absl::OkStatus();
}

absl::Status Reader::ReadSkeleton(const toml::node& node) {
  ExpectedSkeleton skeleton;
  if (node.is_array()) {
    BVHMILL_RETURN_IF_ERROR(ReadWords(node, "skeleton", &skeleton.names));
  } else {
    BVHMILL_RETURN_IF_ERROR(ReadWord(node, "skeleton", &skeleton.file));
    skeleton.file =
        (std::filesystem::path(result_.folder) / skeleton.file).string();
    skeleton.place = PlaceOf(node.source());
  }
  result_.skeleton = std::move(skeleton);
  return absl::OkStatus();
}

absl::Status Reader::ReadExpect(const toml::node& node) {
  const toml::table* table = nullptr;
  BVHMILL_RETURN_IF_ERROR(ReadTable(node, "expect", &table));
  BVHMILL_RETURN_IF_ERROR(
      CheckKeys(*table, {"frame_rate", "units", "up_axis", "skeleton"}));
  if (const toml::node* rate = table->get("frame_rate")) {
    BVHMILL_RETURN_IF_ERROR(ReadRates(*rate));
  }
  if (const toml::node* units = table->get("units")) {
    BVHMILL_RETURN_IF_ERROR(ReadUnit(*units));
  }
  if (const toml::node* up = table->get("up_axis")) {
    BVHMILL_RETURN_IF_ERROR(ReadUp(*up));
  }
  const toml::node* skeleton = table->get("skeleton");
  return skeleton == nullptr ? absl::OkStatus() : ReadSkeleton(*skeleton);
}

absl::Status Reader::ReadIgnoredEntry(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return Wrong(node, "ignore is not a table");
  BVHMILL_RETURN_IF_ERROR(CheckKeys(*table, {"codes", "files"}));
  const toml::node* codes = table->get("codes");
  if (codes == nullptr) return Wrong(node, "codes is missing");
  IgnoredCodes ignored;
  BVHMILL_RETURN_IF_ERROR(ReadWords(*codes, "codes", &ignored.codes));
  for (const std::string& code : ignored.codes) {
    const std::string wrong = CheckIssueCodes(code);
    if (!wrong.empty()) return Wrong(*codes, wrong);
  }
  if (const toml::node* files = table->get("files")) {
    BVHMILL_RETURN_IF_ERROR(ReadWords(*files, "files", &ignored.files));
    for (const std::string& pattern : ignored.files) {
      const std::string wrong = WhyNoPattern(pattern);
      if (!wrong.empty()) {
        return Wrong(*files, "files: \"" + Printable(pattern) + "\" " + wrong);
      }
    }
  }
  result_.ignored.push_back(std::move(ignored));
  return absl::OkStatus();
}

absl::Status Reader::ReadIgnored(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    return Wrong(node, "ignore is not a list of tables: write [[ignore]]");
  }
  for (const toml::node& item : *list) {
    BVHMILL_RETURN_IF_ERROR(ReadIgnoredEntry(item));
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadSeverities(const toml::node& node) {
  const toml::table* table = nullptr;
  BVHMILL_RETURN_IF_ERROR(ReadTable(node, "severity", &table));
  for (const auto& [key, value] : *table) {
    const std::string code(key.str());
    BVHMILL_RETURN_IF_ERROR(ReadCode(value, code));
    std::string word;
    BVHMILL_RETURN_IF_ERROR(ReadWord(value, code, &word));
    const std::string wrong =
        CheckWord(word, {"error", "warning", "info", "hint"});
    const std::optional<Severity> severity = SeverityNamed(word);
    if (!severity) return Wrong(value, std::string(code).append(": ") + wrong);
    result_.severities[code] = *severity;
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadRules(const toml::node& node) {
  const toml::table* rules = nullptr;
  BVHMILL_RETURN_IF_ERROR(ReadTable(node, "rules", &rules));
  for (const auto& [key, value] : *rules) {
    const std::string code(key.str());
    BVHMILL_RETURN_IF_ERROR(ReadCode(value, code));
    const toml::table* settings = nullptr;
    BVHMILL_RETURN_IF_ERROR(ReadTable(value, "rules." + code, &settings));
    for (const auto& [name, threshold] : *settings) {
      const std::optional<double> number = threshold.value<double>();
      if (!threshold.is_number() || !number) {
        return Wrong(threshold, "rules." + code + "." +
                                    std::string(name.str()) +
                                    " is not a number");
      }
      ThresholdChoice choice{code, std::string(name.str()), *number};
      const std::string wrong = WhyNot(choice);
      if (!wrong.empty()) return Wrong(threshold, wrong);
      result_.thresholds.push_back(std::move(choice));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Expectations> Reader::Read(std::string_view text) {
  result_.path = path_;
  result_.folder = std::filesystem::path(path_).parent_path().string();
  if (result_.folder.empty()) result_.folder = ".";
  const toml::parse_result parsed = toml::parse(text, path_);
  if (!parsed) {
    return Wrong(parsed.error().source(),
                 Printable(parsed.error().description()));
  }
  const toml::table& root = parsed.table();
  BVHMILL_RETURN_IF_ERROR(
      CheckKeys(root, {"expect", "ignore", "severity", "rules"}));
  using Part = absl::Status (Reader::*)(const toml::node&);
  const std::pair<std::string_view, Part> parts[] = {
      {"expect", &Reader::ReadExpect},
      {"ignore", &Reader::ReadIgnored},
      {"severity", &Reader::ReadSeverities},
      {"rules", &Reader::ReadRules}};
  for (const auto& [name, read] : parts) {
    const toml::node* node = root.get(name);
    if (node != nullptr) BVHMILL_RETURN_IF_ERROR((this->*read)(*node));
  }
  return std::move(result_);
}

// Reads the file `path`, which is TOML. An unknown key is an error, which names
// the nearest known key. INVALID_ARGUMENT "PATH:LINE:COLUMN: why", or "PATH:
// why" if the file cannot be read or has more than 1 MiB. Opens no other file.
absl::StatusOr<Expectations> ReadExpectations(const std::string& path,
                                              const CancelToken* cancel) {
  constexpr int64_t kMaxBytes = int64_t{1} << 20;
  Input input;
  input.path = path;
  ClipText text;
  const absl::Status status = ReadClip(input, kMaxBytes, cancel, &text);
  if (status.ok()) return Reader(path).Read(ViewOf(text));
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    Printable(path) + ": " + std::string(MessageOf(status)));
}

namespace fs = std::filesystem;

// The name of the file that holds the expectations of a folder.
constexpr std::string_view kExpectationsName = ".bvhmill.toml";

// Files of expectations by the folders of clips. Looks at each folder once.
class Search {
 public:
  // The file for the clips of `folder`, an absolute path; empty if there is
  // none.
  std::string FileFor(const fs::path& folder) {
    std::vector<std::string> passed;
    std::string file;
    for (fs::path here = folder;; here = here.parent_path()) {
      const auto known = files_.find(here.native());
      if (known != files_.end()) {
        file = known->second;
        break;
      }
      passed.push_back(here.native());
      std::error_code error;
      // A broken link counts as a file, whose read then fails.
      if (fs::exists(fs::symlink_status(here / kExpectationsName, error))) {
        file = (here / kExpectationsName)
                   .lexically_proximate(fs::current_path(error))
                   .generic_string();
        break;
      }
      if (!here.has_relative_path()) break;
    }
    for (const std::string& name : passed) files_.emplace(name, file);
    return file;
  }

 private:
  std::map<std::string, std::string> files_;
};

// The folder of a clip as an absolute path; the working folder for stdin.
fs::path FolderOf(const Input& input) {
  std::error_code error;
  const fs::path path = input.is_stdin ? "stdin" : input.path;
  return fs::absolute(path, error).lexically_normal().parent_path();
}

}  // namespace

absl::StatusOr<ClipExpectations> ClipExpectations::Find(
    const ExpectationsFlags& flags, const std::vector<Input>& inputs,
    const CancelToken* cancel) {
  ClipExpectations found;
  found.by_input_.assign(inputs.size(), -1);
  if (flags.none) return found;
  Search search;
  std::map<std::string, int> places;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string path =
        flags.file.empty() ? search.FileFor(FolderOf(inputs[i])) : flags.file;
    if (path.empty()) continue;
    const auto [it, is_new] =
        places.emplace(path, static_cast<int>(found.files_.size()));
    found.by_input_[i] = it->second;
    if (!is_new) continue;
    auto file = ReadExpectations(path, cancel);
    if (!file.ok()) return file.status();
    found.files_.push_back(*std::move(file));
  }
  return found;
}

absl::Status ClipExpectations::ReadSkeletons(
    const std::function<absl::StatusOr<JointList>(const std::string& path)>&
        read) {
  for (Expectations& file : files_) {
    if (!file.skeleton || file.skeleton->file.empty()) continue;
    const std::string& path = file.skeleton->file;
    auto joints = read(path);
    if (!joints.ok()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        file.skeleton->place +
                            ": skeleton: " + Printable(path) + ": " +
                            std::string(MessageOf(joints.status())));
    }
    file.skeleton->joints = *std::move(joints);
  }
  return absl::OkStatus();
}

const Expectations* ClipExpectations::Of(size_t input) const {
  const int place = by_input_[input];
  return place < 0 ? nullptr : &files_[static_cast<size_t>(place)];
}

std::vector<std::string> ClipExpectations::Paths() const {
  std::vector<std::string> paths;
  for (const Expectations& file : files_) paths.push_back(file.path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> ClipExpectations::ReadPaths() const {
  std::vector<std::string> paths = Paths();
  for (const Expectations& file : files_) {
    const bool has_file = file.skeleton && !file.skeleton->file.empty();
    if (has_file) paths.push_back(file.skeleton->file);
  }
  return paths;
}

}  // namespace bvhmill::client
