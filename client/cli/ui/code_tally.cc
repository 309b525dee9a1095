#include "client/cli/ui/code_tally.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"

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

std::vector<CodeCount> CodesOf(const Report& report) {
  std::map<std::pair<Severity, std::string_view>, int64_t> codes;
  for (const Issue& issue : report.issues) {
    codes[{issue.severity, issue.code}] += issue.occurrences;
  }
  std::vector<CodeCount> counts;
  counts.reserve(codes.size());
  for (const auto& [key, occurrences] : codes) {
    counts.push_back({std::string(key.second), key.first, 1, occurrences});
  }
  return counts;
}

void CodeTally::Add(const std::vector<CodeCount>& codes) {
  const std::lock_guard lock(mutex_);
  const Clips* last = nullptr;
  for (const CodeCount& count : codes) {
    Clips& clips = clips_[static_cast<size_t>(count.severity)];
    // `codes` is grouped by severity.
    if (&clips != last) ++clips.count;
    last = &clips;
    Code& code = clips.by_code[count.code];
    ++code.clips;
    code.occurrences += count.occurrences;
  }
}

std::vector<CodeCount> CodeTally::CountsOf(Severity severity) const {
  std::vector<CodeCount> counts;
  for (const auto& [name, code] :
       clips_[static_cast<size_t>(severity)].by_code) {
    counts.push_back({name, severity, code.clips, code.occurrences});
  }
  std::stable_sort(
      counts.begin(), counts.end(),
      [](const CodeCount& a, const CodeCount& b) { return a.clips > b.clips; });
  return counts;
}

std::string CodeTally::Line(Severity severity, std::string_view words) const {
  const std::lock_guard lock(mutex_);
  const Clips& clips = clips_[static_cast<size_t>(severity)];
  if (clips.count == 0) return {};
  const std::string with = "with " + std::string(PluralOf(severity));
  std::string out = Count(clips.count, "clip") + " " +
                    (words.empty() ? with : std::string(words));
  std::string_view separator = ": ";
  for (const CodeCount& count : CountsOf(severity)) {
    out +=
        std::string(separator) + count.code + " " + std::to_string(count.clips);
    separator = ", ";
  }
  return out + "\n";
}

std::string CodeTally::MostFrequent(Severity severity) const {
  const std::lock_guard lock(mutex_);
  const std::vector<CodeCount> counts = CountsOf(severity);
  return counts.empty() ? "" : counts.front().code;
}

std::string CodeTally::Lines() const {
  std::string out;
  for (const Severity severity : kSeverities) out += Line(severity);
  return out;
}

std::vector<CodeCount> CodeTally::Counts() const {
  const std::lock_guard lock(mutex_);
  std::vector<CodeCount> all;
  for (const Severity severity : kSeverities) {
    const std::vector<CodeCount> counts = CountsOf(severity);
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return all;
}

}  // namespace bvhmill::client
