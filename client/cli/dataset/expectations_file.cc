#include "client/cli/dataset/expectations_file.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"
#include "bvhmill/report/thresholds.h"
#include "client/cli/dataset/path_pattern.h"
#include "client/cli/io/inputs.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/options/options.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
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

// Reads one file. The first fault ends it.
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
  const std::string wrong = CheckWord(word, {"y", "z"});
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

}  // namespace

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

}  // namespace bvhmill::client
