#include "bvhmill/report/thresholds.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

constexpr std::array kThresholdEntries = {
#define BVHMILL_THRESHOLD(code, name, value, unit, reason) \
  ThresholdEntry{IssueCode::code, #name, value, unit, reason},
#include "bvhmill/report/threshold_table.inc"
#undef BVHMILL_THRESHOLD
};

std::string_view CodeOf(const ThresholdEntry& entry) {
  return EntryOf(entry.code).name;
}

// The names of the thresholds of `code`; if it has none, all codes with
// thresholds.
std::vector<std::string_view> Names(std::string_view code) {
  std::vector<std::string_view> names;
  for (const ThresholdEntry& entry : kThresholdEntries) {
    if (CodeOf(entry) == code) names.push_back(entry.name);
  }
  if (!names.empty()) return names;
  for (const ThresholdEntry& entry : kThresholdEntries) {
    names.push_back(CodeOf(entry));
  }
  return names;
}

}  // namespace

std::span<const ThresholdEntry> ThresholdTable() { return kThresholdEntries; }

std::optional<Threshold> FindThreshold(std::string_view code,
                                       std::string_view name) {
  const auto it =
      std::find_if(kThresholdEntries.begin(), kThresholdEntries.end(),
                   [&](const auto& entry) {
                     return entry.name == name && CodeOf(entry) == code;
                   });
  if (it == kThresholdEntries.end()) return std::nullopt;
  return static_cast<Threshold>(it - kThresholdEntries.begin());
}

std::string WhyNot(const ThresholdChoice& choice) {
  if (FindThreshold(choice.code, choice.name)) {
    if (std::isfinite(choice.value) && choice.value >= 0) return {};
    return "the value of " + choice.code + "." + choice.name +
           " is not a finite number of 0 or more";
  }
  const bool has_rule = std::any_of(
      kThresholdEntries.begin(), kThresholdEntries.end(),
      [&](const auto& entry) { return CodeOf(entry) == choice.code; });
  const std::string& word = has_rule ? choice.name : choice.code;
  return Quote(word) +
         (has_rule ? " is no threshold of " + choice.code
                   : " is no rule with thresholds") +
         DidYouMean(word, Names(choice.code));
}

Thresholds::Thresholds() {
  for (size_t i = 0; i < kThresholds; ++i) {
    values_[i] = kThresholdEntries[i].value;
  }
}

Thresholds::Thresholds(std::span<const ThresholdChoice> choices)
    : Thresholds() {
  for (const ThresholdChoice& choice : choices) {
    const auto threshold = FindThreshold(choice.code, choice.name);
    if (!threshold || !WhyNot(choice).empty()) continue;
    values_[static_cast<size_t>(*threshold)] = choice.value;
  }
}

std::vector<ThresholdChoice> Changes(std::span<const ThresholdChoice> choices) {
  std::vector<ThresholdChoice> changes;
  if (choices.empty()) return changes;
  const Thresholds thresholds(choices);
  for (size_t i = 0; i < kThresholds; ++i) {
    const double value = thresholds[static_cast<Threshold>(i)];
    if (value == kThresholdEntries[i].value) continue;
    changes.push_back({std::string(CodeOf(kThresholdEntries[i])),
                       std::string(kThresholdEntries[i].name), value});
  }
  return changes;
}

}  // namespace bvhmill
