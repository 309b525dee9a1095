#include "client/cli/dataset/summary_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"
#include "client/cli/dataset/bodies.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/issue_lines.h"
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

std::string KindName(BodyDifference::Kind kind) {
  switch (kind) {
    case BodyDifference::Kind::kScaled:
      return "scaled";
    case BodyDifference::Kind::kJoint:
      return "joint";
    case BodyDifference::Kind::kRestPose:
      return "rest_pose";
    case BodyDifference::Kind::kOther:
      break;
  }
  return "other";
}

// Seven digits: OFFSETs have no more.
std::string ShortNumber(double value) {
  return JsonNumber(static_cast<float>(value));
}

std::string DifferenceJson(const std::optional<BodyDifference>& difference) {
  if (!difference) return "null";
  return JsonObject({{"kind", JsonQuote(KindName(difference->kind))},
                     {"from", JsonPath(difference->from)},
                     {"scale", ShortNumber(difference->scale)},
                     {"joint", JsonQuote(difference->joint)},
                     {"length", ShortNumber(difference->length)},
                     {"usual_length", ShortNumber(difference->usual_length)}});
}

std::string BodyJson(const Body& body) {
  return JsonObject({{"clips", Number(body.clips)},
                     {"scale", ShortNumber(body.scale)},
                     {"files", JsonArray(body.paths, JsonPath)},
                     {"odd", JsonBool(body.is_odd)},
                     {"difference", DifferenceJson(body.difference)}});
}

std::string SkeletonJson(const SkeletonBodies& skeleton) {
  return JsonObject({{"skeleton", JsonQuote(skeleton.skeleton)},
                     {"clips", Number(skeleton.clips)},
                     {"body_count", Number(skeleton.body_count)},
                     {"odd_count", Number(skeleton.odd_count)},
                     {"bodies", JsonArray(skeleton.bodies, BodyJson)}});
}

std::string BodiesJson(const BodySummary& bodies) {
  return JsonObject({{"skeleton_count", Number(bodies.skeleton_count)},
                     {"skeletons", JsonArray(bodies.skeletons, SkeletonJson)},
                     {"clips_left_out", Number(bodies.clips_left_out)}});
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
       {"bodies", BodiesJson(data.bodies)},
       {"known_issues", Number(data.known_issues)},
       {"expectations", JsonArray(data.expectations, JsonPath)}});
}

namespace {

// Clips, values and groups that are listed for one fact.
constexpr size_t kMaxLines = 5;

std::string More(int64_t all, size_t listed, const std::string& indent) {
  const int64_t more = all - static_cast<int64_t>(listed);
  return more > 0 ? indent + "and " + std::to_string(more) + " more\n" : "";
}

std::string VerdictLine(const VerdictCounts& counts) {
  std::string line;
  const auto add = [&line](int64_t count, const char* verdict) {
    if (count == 0) return;
    line += line.empty() ? "verdicts: " : ", ";
    line += std::to_string(count) + " " + verdict;
  };
  add(counts.valid, "valid");
  add(counts.accepted, "accepted");
  add(counts.invalid, "invalid");
  add(counts.unreadable, "unreadable");
  add(counts.not_read, "not read");
  return line.empty() ? line : line + "\n";
}

std::string CodeTable(const std::vector<CodeCount>& codes) {
  if (codes.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const CodeCount& code : codes) {
    rows.push_back({code.code, std::string(SeverityName(code.severity)),
                    std::to_string(code.clips),
                    std::to_string(code.occurrences)});
  }
  return RenderTable({{"CODE", Align::kLeft},
                      {"SEVERITY", Align::kLeft},
                      {"CLIPS", Align::kRight},
                      {"TIMES", Align::kRight}},
                     rows);
}

std::string WorstLines(const std::vector<WorstClip>& worst) {
  std::string out = worst.empty() ? "" : "most issues:\n";
  for (const WorstClip& clip : worst) {
    out += "  " + Printable(clip.path) + ": " + FaultCounts(clip.counts) + "\n";
  }
  return out;
}

// The lines of a trait without a value that most clips share.
std::string MixedLines(const SharedTrait& trait) {
  std::string out = "  " + trait.trait + ": no value is that of most clips\n";
  const size_t listed = std::min(trait.values.size(), kMaxLines);
  for (size_t i = 0; i < listed; ++i) {
    const TraitValue& value = trait.values[i];
    out += "    " + Count(value.clips, "clip") + ": " + Printable(value.value) +
           "\n";
  }
  return out + More(trait.value_count, listed, "    ");
}

std::string OddLines(const std::vector<SharedTrait>& traits) {
  std::string out = traits.empty() ? "" : "odd ones out:\n";
  for (const SharedTrait& trait : traits) {
    if (trait.usual.empty()) {
      out += MixedLines(trait);
      continue;
    }
    out += "  " + trait.trait + ": " + std::to_string(trait.usual_clips) +
           " of " + Count(trait.known_clips, "clip") + " have " +
           Printable(trait.usual) + "\n";
    const size_t listed = std::min(trait.odd.size(), kMaxLines);
    for (size_t i = 0; i < listed; ++i) {
      out += "    " + Printable(trait.odd[i].path) + ": " +
             Printable(trait.odd[i].value) + "\n";
    }
    out += More(trait.odd_clips, listed, "    ");
  }
  return out;
}

std::string EqualLines(const EqualGroups& all, const char* title) {
  const std::vector<EqualClips>& groups = all.listed;
  if (groups.empty()) return {};
  std::string out = std::string(title) + ":\n";
  const size_t listed = std::min(groups.size(), kMaxLines);
  for (size_t i = 0; i < listed; ++i) {
    const size_t paths = std::min(groups[i].paths.size(), kMaxLines);
    for (size_t j = 0; j < paths; ++j) {
      out += (j == 0 ? "  " : "  = ") + Printable(groups[i].paths[j]) + "\n";
    }
    out += More(groups[i].clips, paths, "  = ");
  }
  return out + More(all.count, listed, "  ");
}

// "2 clips, as b.bvh: another body, 1.07 times as large".
std::string BodyLine(const Body& body) {
  const std::string difference = DifferenceText(body);
  return Count(body.clips, "clip") + ", as " + Printable(body.paths.front()) +
         (difference.empty() ? "" : ": ") + difference + "\n";
}

std::string SkeletonLines(const SkeletonBodies& skeleton) {
  std::string out = "  " + Count(skeleton.clips, "clip") + " with " +
                    Printable(skeleton.skeleton) + ": " +
                    Number(skeleton.body_count) + " bodies\n";
  const size_t listed = std::min(skeleton.bodies.size(), kMaxLines);
  for (size_t i = 0; i < listed; ++i) {
    out += "    " + BodyLine(skeleton.bodies[i]);
  }
  return out + More(skeleton.body_count, listed, "    ");
}

std::string BodyLines(const BodySummary& bodies) {
  std::string out = bodies.skeletons.empty() ? "" : "bodies, by OFFSETs:\n";
  const size_t listed = std::min(bodies.skeletons.size(), kMaxLines);
  for (size_t i = 0; i < listed; ++i) {
    out += SkeletonLines(bodies.skeletons[i]);
  }
  out += More(bodies.skeleton_count, listed, "  ");
  if (bodies.clips_left_out > 0) {
    out += "too many bodies: those of " + Count(bodies.clips_left_out, "clip") +
           " were not compared\n";
  }
  return out;
}

}  // namespace

std::string OddBodyLines(const BodySummary& bodies) {
  std::string out;
  for (const SkeletonBodies& skeleton : bodies.skeletons) {
    if (out.empty() && skeleton.odd_count > 0) out = "odd bodies:\n";
    size_t listed = 0;
    for (const Body& body : skeleton.bodies) {
      if (!body.is_odd || listed == kMaxLines) continue;
      out += "  " + ClipsText(body) + ": " + DifferenceText(body) + "\n";
      ++listed;
    }
    out += More(skeleton.odd_count, listed, "  ");
  }
  return out;
}

std::string SummaryText(const DatasetSummary& summary) {
  std::string out = VerdictLine(summary.verdicts) + CodeTable(summary.codes);
  if (summary.cut_clips > 0) {
    out += "the server lists a part of the issues of " +
           Count(summary.cut_clips, "clip") + "; the table lacks the others\n";
  }
  out += WorstLines(summary.worst) + OddLines(summary.odd);
  out += OddBodyLines(summary.bodies) + BodyLines(summary.bodies);
  out += EqualLines(summary.equal_files, "equal files");
  out += EqualLines(summary.equal_motions, "equal motion below another header");
  if (summary.known_issues > 0) {
    out += Count(summary.known_issues, "known issue") + " of the baseline\n";
  }
  for (const std::string& path : summary.expectations) {
    out += "expectations: " + Printable(path) + "\n";
  }
  return out;
}

}  // namespace bvhmill::client
