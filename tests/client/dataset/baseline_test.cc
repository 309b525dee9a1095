// A baseline of known issues, compared with reports that are made by hand.

#include "client/cli/dataset/baseline.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

Issue IssueAt(const char* code, int32_t joint, const char* name,
              int64_t occurrences) {
  Issue issue;
  issue.code = code;
  issue.location.joint = joint;
  issue.location.joint_name = name;
  issue.occurrences = occurrences;
  return issue;
}

TEST(Baseline, TakesOutTheSameFaultOnly) {
  Report old;
  old.issues = {IssueAt("DATA_NOT_FINITE", 3, "Leg", 2)};
  Baseline baseline("takes/known.jsonl");
  baseline.Add("takes/a.bvh", old);
  const struct {
    const char* path;
    Issue issue;
    bool is_known;
  } cases[] = {
      {"takes/a.bvh", IssueAt("DATA_NOT_FINITE", 3, "Leg", 2), true},
      {"takes/./a.bvh", IssueAt("DATA_NOT_FINITE", 3, "Leg", 1), true},
      {"takes/a.bvh", IssueAt("DATA_NOT_FINITE", 3, "Leg", 3), false},
      {"takes/a.bvh", IssueAt("DATA_NOT_FINITE", 4, "Leg", 2), false},
      {"takes/a.bvh", IssueAt("DATA_NOT_FINITE", 3, "Arm", 2), false},
      {"takes/a.bvh", IssueAt("DATA_OUT_OF_RANGE", 3, "Leg", 2), false},
      {"takes/b.bvh", IssueAt("DATA_NOT_FINITE", 3, "Leg", 2), false},
  };
  for (const auto& [path, issue, is_known] : cases) {
    Report report;
    report.issues = {issue};
    report.counts.errors = issue.occurrences;
    EXPECT_EQ(baseline.TakeOut(path, {}, &report), is_known ? 1 : 0);
    EXPECT_EQ(report.issues.empty(), is_known);
    EXPECT_EQ(report.counts.errors, is_known ? 0 : issue.occurrences);
  }
}

TEST(Baseline, KeepsAnIssueThatIsMoreSevereThanThere) {
  const struct {
    Severity known;
    Severity found;
    bool is_known;
  } cases[] = {
      {Severity::kHint, Severity::kHint, true},
      {Severity::kHint, Severity::kWarning, false},
      {Severity::kWarning, Severity::kError, false},
      {Severity::kWarning, Severity::kInfo, true},
      {Severity::kError, Severity::kError, true},
  };
  for (const auto& [known, found, is_known] : cases) {
    Report old;
    old.issues = {IssueAt("DATA_FOOT_SKATE", -1, "", 1)};
    old.issues[0].severity = known;
    Baseline baseline("known.jsonl");
    baseline.Add("a.bvh", old);
    Report report = old;
    report.issues[0].severity = found;
    EXPECT_EQ(baseline.TakeOut("a.bvh", {}, &report), is_known ? 1 : 0);
    ASSERT_EQ(report.issues.empty(), is_known);
    if (is_known) continue;
    EXPECT_EQ(ArgOf(report.issues[0], "known_severity"), SeverityName(known));
    EXPECT_EQ(report.issues[0].message, "; more severe than in the baseline: " +
                                            std::string(SeverityName(known)) +
                                            " there");
  }
}

// Issues of one fault may differ in severity.
TEST(Baseline, KnowsTheMostSevereIssueOfAFault) {
  Report old;
  old.issues = {IssueAt("DATA_JITTER", 3, "Leg", 1),
                IssueAt("DATA_JITTER", 3, "Leg", 1)};
  old.issues[0].severity = Severity::kWarning;
  old.issues[1].severity = Severity::kHint;
  Baseline baseline("known.jsonl");
  baseline.Add("a.bvh", old);
  Report report = old;
  EXPECT_EQ(baseline.TakeOut("a.bvh", {}, &report), 2);
}

TEST(Baseline, CountsClipsWhoseMotionIsNotJudgedForAKnownReason) {
  const struct {
    IssueArgs args;
    int64_t not_judged;
  } cases[] = {
      {{{"rows", " in 1 frame, 1 run; the motion is not judged"}}, 1},
      {{{"rows", "; the motion is not judged"}}, 1},
      {{{"rows", ""}}, 0},
      {{{"left_out", "; spikes, jumps and cuts are not judged"}}, 1},
      {{{"left_out", ""}}, 0},
      {{}, 0},
  };
  for (const auto& [args, not_judged] : cases) {
    Report old;
    old.issues = {IssueAt("DATA_NOT_FINITE", 3, "Leg", 2)};
    old.issues[0].args = args;
    Baseline baseline("known.jsonl");
    for (const char* path : {"a.bvh", "b.bvh"}) baseline.Add(path, old);
    Report known = old;
    baseline.TakeOut("a.bvh", {}, &known);
    // An issue that is new is listed, and says it itself.
    Report grown = old;
    grown.issues[0].occurrences = 3;
    baseline.TakeOut("b.bvh", {}, &grown);
    EXPECT_EQ(baseline.Match({}).not_judged, not_judged);
  }
}

// An issue with the frames `at` in its args, as rules about the motion have it.
Issue SpikesAt(const std::string& at, int64_t occurrences) {
  Issue issue = IssueAt("DATA_SPIKE", 3, "Leg", occurrences);
  issue.args = {{"at", at}};
  return issue;
}

TEST(Baseline, SaysWhichFramesAreNew) {
  const struct {
    Issue known;
    Issue found;
    std::string fresh;
  } cases[] = {
      {SpikesAt("20, 40", 2), SpikesAt("20, 30, 40", 3), "30"},
      {SpikesAt("20, 40", 2), SpikesAt("10, 20, 30", 3), "10, 30"},
      // Only the first frames are listed.
      {SpikesAt("20, 40", 2), SpikesAt("20, 30, 40", 9), "30"},
      {SpikesAt("20, 40", 3), SpikesAt("20, 30, 40", 4), ""},
      // Other servers may list anything.
      {SpikesAt("20, 40", 2), SpikesAt("20, often", 3), ""},
      {SpikesAt("x", 1), SpikesAt(",", 3), ""},
  };
  for (const auto& [known, found, fresh] : cases) {
    Report old;
    old.issues = {known};
    Baseline baseline("known.jsonl");
    baseline.Add("a.bvh", old);
    Report report;
    report.issues = {found};
    EXPECT_EQ(baseline.TakeOut("a.bvh", {}, &report), 0);
    ASSERT_EQ(report.issues.size(), 1);
    EXPECT_EQ(ArgOf(report.issues[0], "new_frames"), fresh);
    EXPECT_EQ(report.issues[0].message.empty(), fresh.empty());
  }
}

TEST(Baseline, CountsOnlyIssuesThatWereLookedFor) {
  const Issue nan = IssueAt("DATA_NOT_FINITE", 3, "Leg", 2);
  const Issue loop = IssueAt("DATA_LOOP", -1, "", 1);
  Report old;
  old.issues = {nan, loop};
  const struct {
    std::vector<Issue> found;
    bool is_cut;
    std::vector<std::string> only;
    int64_t looked_for;
    int64_t found_again;
  } cases[] = {
      {{nan, loop}, false, {}, 2, 2},
      {{nan}, false, {}, 2, 1},
      {{}, false, {}, 2, 0},
      {{}, true, {}, 0, 0},
      {{}, false, {"DATA_LOOP"}, 1, 0},
  };
  const std::vector<std::string> inputs = {"a.bvh"};
  for (const auto& one : cases) {
    Baseline baseline("known.jsonl");
    baseline.Add("a.bvh", old);
    Report report;
    report.issues = one.found;
    report.truncated = one.is_cut;
    ReportOptions options;
    options.only = one.only;
    baseline.TakeOut("a.bvh", options, &report);
    const BaselineMatch match = baseline.Match(inputs);
    EXPECT_EQ(match.looked_for, one.looked_for);
    EXPECT_EQ(match.found, one.found_again);
    EXPECT_EQ(match.elsewhere, 0);
  }
}

TEST(Baseline, NamesItsFilesThatAreNotAmongTheInputs) {
  Report old;
  old.issues = {IssueAt("DATA_NOT_FINITE", 3, "Leg", 2),
                IssueAt("DATA_LOOP", -1, "", 1)};
  Baseline baseline("takes/known.jsonl");
  for (const char* path : {"takes/a.bvh", "takes/b.bvh", "c.bvh"}) {
    baseline.Add(path, old);
  }
  const std::vector<std::string> inputs = {"takes/a.bvh", "takes/c.bvh"};
  const BaselineMatch match = baseline.Match(inputs);
  EXPECT_EQ(match.all, 6);
  EXPECT_EQ(match.elsewhere, 4);
  EXPECT_EQ(match.files_elsewhere,
            (std::vector<std::string>{"../c.bvh", "b.bvh"}));
}

}  // namespace
}  // namespace bvhmill::client
