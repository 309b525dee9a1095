#include "bvhmill/report/report.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"

namespace bvhmill::testing {
namespace {

struct FillCase {
  std::string_view message;
  IssueArgs args;
  std::string_view filled;
};

TEST(FillMessage, Table) {
  const FillCase cases[] = {
      {"plain", {}, "plain"},
      {"plain", {{"a", "1"}}, "plain"},
      {"{a}", {{"a", "1"}}, "1"},
      {"{a}{b}", {{"b", "2"}, {"a", "1"}}, "12"},
      {"x {a} y {b} z {a}", {{"a", "1"}, {"b", "2"}}, "x 1 y 2 z 1"},
      {"{a}", {{"a", ""}}, ""},
      // Values are plain text, also with braces in them.
      {"{a} {b}", {{"a", "{b}"}, {"b", "{a}"}}, "{b} {a}"},
      {"{a}", {{"a", "'{'"}}, "'{'"},
      {"{a} frames, {b} joints", {{"a", "1"}, {"b", "2"}}, "1 frame, 2 joints"},
      {"{a} has {b} values", {{"a", "1"}, {"b", "1"}}, "1 has 1 value"},
      {"{b} rows", {{"b", "11"}}, "11 rows"},
      {"{a} joints, {a} rows, {a} runs, {a} gaps",
       {{"a", "1"}},
       "1 joint, 1 row, 1 run, 1 gap"},
      {"{a} are used", {{"a", "1"}}, "1 is used"},
      {"{a} are used", {{"a", "2"}}, "2 are used"},
  };
  for (const FillCase& c : cases) {
    EXPECT_EQ(FillMessage(c.message, c.args), c.filled) << c.message;
  }
}

Issue NumberIssue() {
  Issue issue;
  issue.code = "MOTION_NUMBER_INVALID";
  issue.message = "1,5 is not a number";
  issue.location.byte_offset = 99;
  issue.location.line = 12;
  issue.location.column = 5;
  issue.location.frame = 3;
  issue.location.joint = 0;
  issue.location.channel = 4;
  issue.location.joint_name = "Hips";
  return issue;
}

TEST(RenderIssue, IsALineInTheMannerOfACompiler) {
  EXPECT_EQ(RenderIssue(NumberIssue()),
            "12:5: error: MOTION_NUMBER_INVALID: 1,5 is not a number "
            "(frame 3, joint 0 Hips, channel 4)");
}

TEST(RenderIssue, SaysHowOften) {
  Issue issue = NumberIssue();
  issue.occurrences = 40;
  EXPECT_TRUE(RenderIssue(issue).ends_with("channel 4, 40 times)"))
      << RenderIssue(issue);
}

TEST(RenderIssue, ListsTheFirstFrames) {
  const struct {
    std::string at;
    int64_t occurrences;
    std::string end;
  } cases[] = {
      {"3, 12", 2, "2 times: frames 3, 12)"},
      {"3, 12", 3, "3 times: frames 3, 12 ...)"},
      {"1, 2, 3, 4, 5, 6", 6, "6 times: frames 1, 2, 3, 4, 5, 6)"},
      {"1, 2, 3, 4, 5, 6, 7", 7, "7 times: frames 1, 2, 3, 4, 5, 6 ...)"},
      // Other servers may send anything.
      {"", 2, "2 times)"},
      {"3, 12,", 2, "2 times)"},
      {"3,12", 2, "2 times)"},
      {"12, 3", 2, "2 times)"},
      {"3, 3", 2, "2 times)"},
      {"-3, 12", 2, "2 times)"},
      {"3, 99999999999999999999", 2, "2 times)"},
      {"\x1b[2J", 2, "2 times)"},
      {"3, \x1b[2J", 2, "2 times)"},
  };
  for (const auto& [at, occurrences, end] : cases) {
    Issue issue = NumberIssue();
    issue.occurrences = occurrences;
    issue.args = {{"at", at}};
    EXPECT_TRUE(RenderIssue(issue).ends_with(end)) << RenderIssue(issue);
  }
}

TEST(ListedFrames, AreAtMostSixteen) {
  Issue issue;
  std::vector<int64_t> frames(20);
  std::iota(frames.begin(), frames.end(), 0);
  issue.args = {{"at", FrameList(frames)}};
  frames.resize(kMostListedFrames);
  EXPECT_EQ(ListedFrames(issue), frames);
}

TEST(RenderIssue, OmitsUnknownParts) {
  Issue issue = NumberIssue();
  issue.location.joint.reset();
  issue.location.channel.reset();
  EXPECT_EQ(RenderIssue(issue),
            "12:5: error: MOTION_NUMBER_INVALID: 1,5 is not a number "
            "(frame 3)");
  issue.location.frame.reset();
  EXPECT_EQ(RenderIssue(issue),
            "12:5: error: MOTION_NUMBER_INVALID: 1,5 is not a number");
  issue.location = {};
  issue.severity = Severity::kHint;
  EXPECT_EQ(RenderIssue(issue),
            "hint: MOTION_NUMBER_INVALID: 1,5 is not a number");
}

// A compressed source has no lines; an issue of the clip has no frame.
TEST(RenderIssue, StatesTheByteTheFramesAndTheJoint) {
  Issue issue = NumberIssue();
  issue.location.line.reset();
  issue.location.column.reset();
  issue.location.last_frame = 7;
  issue.location.channel.reset();
  issue.location.joint_name = "Hips\n";
  EXPECT_EQ(RenderIssue(issue),
            "byte 99: error: MOTION_NUMBER_INVALID: 1,5 is not a number "
            "(frames 3 to 7, joint 0 Hips\\x0A)");
  issue.location.last_frame = 3;
  issue.location.frame.reset();
  EXPECT_EQ(RenderIssue(issue),
            "byte 99: error: MOTION_NUMBER_INVALID: 1,5 is not a number");
}

TEST(Report, FirstErrorIsTheFirstThatIsAnError) {
  Report report;
  EXPECT_EQ(FirstError(report), nullptr);
  report.issues.resize(3);
  report.issues[0].severity = Severity::kWarning;
  report.issues[1].severity = Severity::kHint;
  EXPECT_EQ(FirstError(report), &report.issues[2]);
  report.issues[2].severity = Severity::kInfo;
  EXPECT_EQ(FirstError(report), nullptr);
}

TEST(Report, VerdictsHaveNamesAndAreGoodOrNot) {
  struct {
    std::string_view name;
    Verdict verdict;
    bool good;
  } constexpr kCases[] = {{"valid", Verdict::kValid, true},
                          {"accepted", Verdict::kAccepted, true},
                          {"invalid", Verdict::kInvalid, false},
                          {"unreadable", Verdict::kUnreadable, false}};
  for (const auto& [name, verdict, good] : kCases) {
    EXPECT_EQ(VerdictName(verdict), name);
    EXPECT_EQ(IsGood(verdict), good) << name;
  }
}

TEST(Report, LocationAtTakesThePlace) {
  const Location location = LocationAt(TextPosition{41, 7, 3});
  EXPECT_EQ(location.byte_offset, 41);
  EXPECT_EQ(location.line, 7);
  EXPECT_EQ(location.column, 3);
  EXPECT_FALSE(location.frame.has_value());
  EXPECT_FALSE(location.joint.has_value());
  EXPECT_FALSE(location.channel.has_value());
  EXPECT_EQ(location.joint_name, "");
}

Issue IssueOf(std::string code, Severity severity) {
  Issue issue;
  issue.code = std::move(code);
  issue.severity = severity;
  return issue;
}

Report ReportOf(const std::vector<Issue>& issues, const IssueCounts& counts,
                Verdict verdict) {
  Report report;
  report.issues = issues;
  report.counts = counts;
  report.verdict = verdict;
  return report;
}

std::string CodesOf(const Report& report) {
  std::string codes;
  for (const Issue& issue : report.issues) codes += issue.code + " ";
  return codes;
}

TEST(AddToReport, AddsCountsAndSortsBySeverity) {
  Report report = ReportOf(
      {IssueOf("W1", Severity::kWarning), IssueOf("H1", Severity::kHint)},
      {1, 2, 3, 4}, Verdict::kAccepted);
  AddToReport(ReportOf({IssueOf("E2", Severity::kError),
                        IssueOf("W2", Severity::kWarning),
                        IssueOf("I2", Severity::kInfo)},
                       {10, 20, 30, 40}, Verdict::kInvalid),
              &report);
  EXPECT_EQ(CodesOf(report), "E2 W1 W2 I2 H1 ");
  EXPECT_EQ(report.counts.errors, 11);
  EXPECT_EQ(report.counts.warnings, 22);
  EXPECT_EQ(report.counts.infos, 33);
  EXPECT_EQ(report.counts.hints, 44);
  EXPECT_EQ(report.verdict, Verdict::kInvalid);
  EXPECT_FALSE(report.truncated);
}

TEST(AddToReport, TheVerdictGetsNoBetter) {
  Report report = ReportOf({}, {}, Verdict::kInvalid);
  AddToReport(ReportOf({}, {}, Verdict::kValid), &report);
  EXPECT_EQ(report.verdict, Verdict::kInvalid);
}

TEST(AddToReport, TruncationIsReported) {
  const Issue issue = IssueOf("W", Severity::kWarning);
  const Report whole = ReportOf({issue}, {}, Verdict::kAccepted);
  Report cut = whole;
  cut.truncated = true;
  Report report = whole;
  AddToReport(Report(whole), &report);
  EXPECT_FALSE(report.truncated);
  AddToReport(std::move(cut), &report);
  EXPECT_TRUE(report.truncated);
  AddToReport(Report(whole), &report);
  EXPECT_TRUE(report.truncated);
}

// Repairs are infos, which come last. A clip with as many warnings as a log
// lists must not lose them.
TEST(AddToReport, WarningsDoNotCrowdOutLaterInfos) {
  Report report = ReportOf(
      std::vector<Issue>(100, IssueOf("W", Severity::kWarning)), {}, {});
  AddToReport(
      ReportOf({IssueOf("I1", Severity::kInfo), IssueOf("I2", Severity::kInfo)},
               {}, {}),
      &report);
  ASSERT_EQ(report.issues.size(), 102u);
  EXPECT_EQ(report.issues[100].code, "I1");
  EXPECT_EQ(report.issues[101].code, "I2");
  EXPECT_FALSE(report.truncated);
}

}  // namespace
}  // namespace bvhmill::testing
