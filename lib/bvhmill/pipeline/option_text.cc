#include "bvhmill/pipeline/option_text.h"

#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

std::vector<std::string_view> Split(std::string_view word, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = word.find(by);
    parts.push_back(word.substr(0, at));
    if (at == word.npos) return parts;
    word.remove_prefix(at + 1);
  }
}

// A:B or A:B:STEP; A and B are optional.
std::optional<FrameRange> RangeOf(std::string_view word) {
  const std::vector<std::string_view> parts = Split(word, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  FrameRange range;
  int64_t* const to[] = {&range.begin, &range.end, &range.step};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const auto value = NumberOf<int64_t>(parts[i]);
    if (!value || *value < 0) return std::nullopt;
    *to[i] = *value;
  }
  const bool is_empty = !parts[1].empty() && range.end <= range.begin;
  if (is_empty || range.step == 0) return std::nullopt;
  return range;
}

// A number of seconds, such as 1.5 or 1.5s.
std::optional<double> SecondsOf(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  const auto value = NumberOf<double>(word);
  const bool is_time = value && std::isfinite(*value) && *value >= 0;
  return is_time ? value : std::nullopt;
}

// A:B; A and B are optional.
std::optional<TimeRange> TimesOf(std::string_view word) {
  const std::vector<std::string_view> parts = Split(word, ':');
  if (parts.size() != 2) return std::nullopt;
  const auto begin = parts[0].empty() ? 0.0 : SecondsOf(parts[0]);
  const auto end = parts[1].empty() ? 0.0 : SecondsOf(parts[1]);
  if (!begin || !end) return std::nullopt;
  if (!parts[1].empty() && *end <= *begin) return std::nullopt;
  return TimeRange{*begin, *end};
}

// The parts of "KEY=VALUE", cut at `at`; nullopt if one of them is empty.
std::optional<std::pair<std::string, std::string_view>> PairOf(
    std::string_view word, size_t at) {
  if (at == word.npos || at == 0 || at + 1 == word.size()) return std::nullopt;
  return std::pair(std::string(word.substr(0, at)), word.substr(at + 1));
}

// Sets one word of an option. Returns an empty string, or why it is refused.
struct WordSetter {
  const OptionRow& row;
  const OptionPlace& place;
  std::string_view word;

  std::string NotWanted() const {
    return Quote(word) + " is not " + Wanted(row);
  }

  template <typename T>
  std::string operator()(T* /*number*/) const {
    const auto value = NumberOf<double>(word);
    const bool is_set = value && SetNumber(row, *value, place).empty();
    return is_set ? "" : NotWanted();
  }
  std::string operator()(std::monostate) const { return "has no such option"; }
  std::string operator()(bool* to) const {
    *to = word == "true";
    return word == "true" || word == "false" ? "" : NotWanted();
  }
  std::string operator()(std::string* to) const {
    *to = word;
    return word.empty() ? "must not be empty" : "";
  }
  std::string operator()(std::optional<std::string>* to) const {
    *to = std::string(word);
    return {};
  }
  std::string operator()(const EnumPlace& to) const {
    const std::string why = SetWord(word, to);
    return why.empty() ? why : Quote(word) + " " + why;
  }
  std::string operator()(const UnitPlace& to) const {
    const std::optional<double> metres = MetresOf(word);
    if (!metres) return (*this)(to.metres);
    *to.metres = *metres;
    return {};
  }
  std::string operator()(std::vector<std::string>* to) const {
    to->emplace_back(word);
    return {};
  }
  std::string operator()(NamePairs* to) const {
    const auto pair = PairOf(word, word.find('='));
    if (!pair) return NotWanted();
    to->emplace_back(pair->first, pair->second);
    return {};
  }
  std::string operator()(Severities* to) const {
    const auto pair = PairOf(word, word.find('='));
    const auto severity = pair ? SeverityNamed(pair->second) : std::nullopt;
    if (!severity) return NotWanted();
    (*to)[pair->first] = *severity;
    return {};
  }
  std::string operator()(std::vector<ThresholdChoice>* to) const {
    const auto pair = PairOf(word, word.find('='));
    const auto value = pair ? NumberOf<double>(pair->second) : std::nullopt;
    const size_t point = pair ? pair->first.find('.') : std::string::npos;
    if (!value || point == std::string::npos) return NotWanted();
    const ThresholdChoice& choice = to->emplace_back(ThresholdChoice{
        pair->first.substr(0, point), pair->first.substr(point + 1), *value});
    return WhyNot(choice);
  }
  std::string operator()(std::vector<JointPriority>* to) const {
    const auto pair = PairOf(word, word.rfind('='));
    const auto value = pair ? NumberOf<int32_t>(pair->second) : std::nullopt;
    const bool is_good = value &&
                         static_cast<double>(*value) >= row.bounds.least &&
                         static_cast<double>(*value) <= row.bounds.most;
    if (!is_good) return NotWanted();
    to->push_back({pair->first, *value});
    return {};
  }
  std::string operator()(const JointMapPlace& to) const {
    return (*this)(to.name);
  }
  std::string operator()(FrameRange* to) const {
    const auto range = RangeOf(word);
    if (!range) return NotWanted();
    *to = *range;
    return {};
  }
  std::string operator()(TimeRange* to) const {
    const auto range = TimesOf(word);
    if (!range) return NotWanted();
    *to = *range;
    return {};
  }
  std::string operator()(std::array<double, 3>* to) const {
    const std::vector<std::string_view> parts = Split(word, ',');
    if (parts.size() != to->size()) return NotWanted();
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto value = NumberOf<double>(parts[i]);
      if (!value || !std::isfinite(*value)) return NotWanted();
      (*to)[i] = *value;
    }
    return {};
  }
  std::string operator()(const ArraysPlace& to) const {
    const std::string why = SetArray(word, to);
    return why.empty() ? why : Quote(word) + " " + why;
  }
  std::string operator()(const LoopPlace& to) const {
    *to.loop = word != "false";
    if (word == "true" || word == "false") return {};
    const auto range = TimesOf(word);
    const bool is_good = range && range->end_seconds > 0 &&
                         range->end_seconds <= row.bounds.most;
    if (!is_good) return NotWanted();
    *to.in = static_cast<float>(range->begin_seconds);
    *to.out = static_cast<float>(range->end_seconds);
    return {};
  }
  std::string operator()(
      std::optional<std::vector<AnimConstraint>>* /*to*/) const {
    return {};
  }
};

}  // namespace

std::string SetOption(const OptionRow& row, std::span<const std::string> words,
                      const OptionPlace& place) {
  ResetPlace(place);
  for (const std::string& word : words) {
    std::string why = std::visit(WordSetter{row, place, word}, place);
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace bvhmill
