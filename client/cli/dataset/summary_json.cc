#include "client/cli/dataset/summary_json.h"

#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

std::string Number(int64_t value) { return std::to_string(value); }

std::string TextOrNull(const std::string& text) {
  return text.empty() ? "null" : JsonQuote(text);
}

std::string SeverityJson(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "\"SEVERITY_ERROR\"";
    case Severity::kWarning:
      return "\"SEVERITY_WARNING\"";
    case Severity::kInfo:
      return "\"SEVERITY_INFO\"";
    case Severity::kHint:
      break;
  }
  return "\"SEVERITY_HINT\"";
}

std::string VerdictsJson(const VerdictCounts& counts) {
  return JsonObject({{"valid", Number(counts.valid)},
                     {"accepted", Number(counts.accepted)},
                     {"invalid", Number(counts.invalid)},
                     {"unreadable", Number(counts.unreadable)},
                     {"not_read", Number(counts.not_read)}});
}

std::string CodeJson(const CodeCount& code) {
  return JsonObject({{"code", JsonQuote(code.code)},
                     {"severity", SeverityJson(code.severity)},
                     {"clips", Number(code.clips)},
                     {"occurrences", Number(code.occurrences)}});
}

std::string WorstJson(const WorstClip& clip) {
  return JsonObject({{"file", JsonPath(clip.path)},
                     {"errors", Number(clip.counts.errors)},
                     {"warnings", Number(clip.counts.warnings)}});
}

std::string TraitJson(const SharedTrait& trait) {
  const auto value = [](const TraitValue& one) {
    return JsonObject(
        {{"value", JsonQuote(one.value)}, {"clips", Number(one.clips)}});
  };
  const auto odd = [](const OddClip& clip) {
    return JsonObject(
        {{"file", JsonPath(clip.path)}, {"value", JsonQuote(clip.value)}});
  };
  return JsonObject({{"trait", JsonQuote(trait.trait)},
                     {"usual", TextOrNull(trait.usual)},
                     {"usual_clips", Number(trait.usual_clips)},
                     {"known_clips", Number(trait.known_clips)},
                     {"odd_clips", Number(trait.odd_clips)},
                     {"value_count", Number(trait.value_count)},
                     {"values", JsonArray(trait.values, value)},
                     {"odd", JsonArray(trait.odd, odd)}});
}

std::string EqualJson(const EqualClips& equal) {
  return JsonObject({{"clips", Number(equal.clips)},
                     {"files", JsonArray(equal.paths, JsonPath)}});
}

}  // namespace

std::string SummaryJson(const RunSummary& summary) {
  const DatasetSummary& data = summary.dataset;
  return JsonObject(
      {{"clips", Number(summary.clips)},
       {"passed", Number(summary.passed)},
       {"complete", JsonBool(summary.complete)},
       {"verdicts", VerdictsJson(data.verdicts)},
       {"codes", JsonArray(data.codes, CodeJson)},
       {"cut_clips", Number(data.cut_clips)},
       {"worst", JsonArray(data.worst, WorstJson)},
       {"odd", JsonArray(data.odd, TraitJson)},
       {"equal_files", JsonArray(data.equal_files.listed, EqualJson)},
       {"equal_file_groups", Number(data.equal_files.count)},
       {"equal_motions", JsonArray(data.equal_motions.listed, EqualJson)},
       {"equal_motion_groups", Number(data.equal_motions.count)},
       {"known_issues", Number(data.known_issues)},
       {"expectations", JsonArray(data.expectations, JsonPath)}});
}

}  // namespace bvhmill::client
