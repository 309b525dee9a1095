#include "tests/faults/score.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::faults {
namespace {

constexpr int64_t kNear = 2;  // frames

bool IsAtFrame(const Location& at, const Expected& expected) {
  if (!expected.first_frame) return true;
  return at.frame && *at.frame >= *expected.first_frame - kNear &&
         *at.frame <= *expected.last_frame + kNear;
}

bool IsAtJoint(const Location& at, const Expected& expected) {
  if (expected.joints.empty()) return true;
  return at.joint && std::count(expected.joints.begin(), expected.joints.end(),
                                *at.joint) > 0;
}

double Share(int part, int whole) {
  if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part) / whole;
}

}  // namespace

Report ReportOfText(const std::string& text) {
  ConvertOptions options;
  options.report.max_issues = 0;
  return Convert(text, options, nullptr, nullptr).report;
}

Outcome Judge(const Report& report, const Expected& expected) {
  Outcome outcome;
  for (const Issue& issue : report.issues) {
    if (std::count(expected.codes.begin(), expected.codes.end(), issue.code) ==
        0) {
      continue;
    }
    outcome.is_found = true;
    outcome.is_placed |= IsAtFrame(issue.location, expected) &&
                         IsAtJoint(issue.location, expected);
  }
  return outcome;
}

void Tally::Add(const Outcome& outcome) {
  ++files;
  found += outcome.is_found ? 1 : 0;
  placed += outcome.is_placed ? 1 : 0;
}

double Tally::Recall() const { return Share(found, files); }
double Tally::Placed() const { return Share(placed, found); }

Scores Score(const std::vector<FaultyFile>& files) {
  Scores scores;
  for (const FaultyFile& file : files) {
    const Outcome outcome = Judge(ReportOfText(file.text), file.expected);
    scores.by_rule[file.expected.codes[0]][file.strength].Add(outcome);
    scores.by_kind[file.kind][file.strength].Add(outcome);
    scores.all[file.strength].Add(outcome);
    if (!outcome.is_found) scores.missed.push_back(file.name);
    if (outcome.is_found && !outcome.is_placed) {
      scores.misplaced.push_back(file.name);
    }
  }
  return scores;
}

std::vector<std::string> FalseAlarms(const std::vector<CleanClip>& clips) {
  std::vector<std::string> alarms;
  for (const CleanClip& clip : clips) {
    std::string codes;
    for (const Issue& issue : ReportOfText(clip.text).issues) {
      if (issue.severity == Severity::kWarning ||
          issue.severity == Severity::kError) {
        codes += " " + RenderIssue(issue);
      }
    }
    if (!codes.empty()) alarms.push_back(clip.name + codes);
  }
  return alarms;
}

std::string ScoreTable(const Tallies& tallies) {
  std::string out;
  char line[160];
  std::snprintf(line, sizeof(line), "%-28s %22s %22s %22s\n",
                "found / placed / files", "blatant", "plain", "subtle");
  out += line;
  for (const auto& [name, by_strength] : tallies) {
    std::snprintf(line, sizeof(line), "%-28s", name.c_str());
    out += line;
    for (const Strength strength : kStrengths) {
      const auto at = by_strength.find(strength);
      const Tally tally = at == by_strength.end() ? Tally() : at->second;
      std::snprintf(line, sizeof(line), " %10d / %3d / %3d", tally.found,
                    tally.placed, tally.files);
      out += line;
    }
    out += "\n";
  }
  return out;
}

}  // namespace bvhmill::faults
