#include "client/cli/ui/code_tally.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr std::array kSeverities = {Severity::kError, Severity::kWarning,
                                    Severity::kInfo, Severity::kHint};

std::string_view PluralOf(Severity severity) {
  constexpr std::array<std::string_view, 5> kPlurals = {
      "", "errors", "warnings", "infos", "hints"};
  return kPlurals[static_cast<size_t>(severity)];
}

}  // namespace

void CodeTally::Add(const Report& report) {
  std::set<std::pair<Severity, std::string_view>> codes;
  for (const Issue& issue : report.issues) {
    codes.emplace(issue.severity, issue.code);
  }
  const std::lock_guard lock(mutex_);
  const Clips* last = nullptr;
  for (const auto& [severity, code] : codes) {
    Clips& clips = clips_[static_cast<size_t>(severity)];
    // The codes of a severity stand together.
    if (&clips != last) ++clips.count;
    last = &clips;
    ++clips.by_code[std::string(code)];
  }
}

std::string CodeTally::Line(Severity severity) const {
  const std::lock_guard lock(mutex_);
  const Clips& clips = clips_[static_cast<size_t>(severity)];
  if (clips.count == 0) return {};
  std::vector<std::pair<std::string_view, int64_t>> codes(clips.by_code.begin(),
                                                          clips.by_code.end());
  std::stable_sort(
      codes.begin(), codes.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out =
      Count(clips.count, "clip") + " with " + std::string(PluralOf(severity));
  std::string_view separator = ": ";
  for (const auto& [code, count] : codes) {
    out += std::string(separator) + std::string(code) + " " +
           std::to_string(count);
    separator = ", ";
  }
  return out + "\n";
}

std::string CodeTally::MostFrequent(Severity severity) const {
  const std::lock_guard lock(mutex_);
  const auto& by_code = clips_[static_cast<size_t>(severity)].by_code;
  const auto most = std::max_element(
      by_code.begin(), by_code.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_code.end() ? "" : most->first;
}

std::string CodeTally::Lines() const {
  std::string out;
  for (const Severity severity : kSeverities) out += Line(severity);
  return out;
}

}  // namespace bvhmill::client
