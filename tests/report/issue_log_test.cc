#include "bvhmill/report/issue_log.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/report/logged.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

TEST(IssueLog, FoldsByCodeAndJoint) {
  IssueLog log({});
  log.Add(kWarning, At(7, 2), {{"word", "'nan'"}});
  log.Add(kWarning, At(8, 2), {{"word", "'inf'"}});
  log.Add(kWarning, At(9, 3));
  log.Add(kError, At(10, 2));
  log.Add(kWarning, At(11));
  log.Add(kWarning, At(12, 2), {}, 40);
  log.Add(kWarning, At(13), {}, 5);
  log.SetValues(490);
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report),
              ElementsAre("MOTION_NUMBER_INVALID@10", "DATA_NOT_FINITE@7",
                          "DATA_NOT_FINITE@9", "DATA_NOT_FINITE@11"));
  EXPECT_EQ(report.issues[1].occurrences, 42);
  EXPECT_EQ(report.issues[1].message,
            "the value is 'nan'; not finite in the whole clip: 49 of 490 "
            "values (10 %)");
  EXPECT_EQ(report.issues[3].occurrences, 6);
  EXPECT_EQ(report.counts.warnings, 49);
  EXPECT_EQ(report.counts.errors, 1);
}

TEST(IssueLog, PartsOfAJointAreFoldedApart) {
  IssueLog log({});
  log.Add(kWarning, At(7, 2), {}, 3, JointPart::kRotation);
  log.Add(kWarning, At(8, 2), {}, 1, JointPart::kPosition);
  log.Add(kWarning, At(9, 2), {}, 5, JointPart::kRotation);
  log.Add(kWarning, At(10, 2));
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report),
              ElementsAre("DATA_NOT_FINITE@7", "DATA_NOT_FINITE@8",
                          "DATA_NOT_FINITE@10"));
  EXPECT_EQ(report.issues[0].occurrences, 8);
  EXPECT_EQ(report.issues[1].occurrences, 1);
  EXPECT_EQ(report.counts.warnings, 10);
}

TEST(IssueLog, AnIssueCanHaveASeverityOfItsOwn) {
  const Severity as_listed = EntryOf(kWarning).lenient;
  ASSERT_EQ(as_listed, Severity::kWarning);
  for (const bool strict : {false, true}) {
    ReportOptions options;
    options.strict = strict;
    IssueLog log(options);
    log.AddAs(Severity::kHint, kWarning, At(7, 2));
    log.AddAs(Severity::kInfo, kWarning, At(8, 3));
    // The severity of the first one counts for all that are merged with it.
    log.Add(kWarning, At(9, 2), {}, 3);
    EXPECT_TRUE(log.Repeat(kWarning, 2));
    const Report report = log.Finish(true, true);
    EXPECT_EQ(report.verdict, Verdict::kValid);
    EXPECT_EQ(report.counts.hints, 5);
    EXPECT_EQ(report.counts.infos, 1);
    EXPECT_THAT(Listed(report),
                ElementsAre("DATA_NOT_FINITE@8", "DATA_NOT_FINITE@7"));
    EXPECT_EQ(report.issues[1].occurrences, 5);
  }
}

TEST(IssueLog, AChosenSeverityComesBeforeThatOfAnIssue) {
  ReportOptions options;
  options.severities = {{"DATA_NOT_FINITE", Severity::kError}};
  IssueLog log(options);
  log.AddAs(Severity::kHint, kWarning, At(7));
  const Report report = log.Finish(true, true);
  EXPECT_EQ(report.counts.errors, 1);
  EXPECT_EQ(report.counts.hints, 0);
}

TEST(IssueLog, ValuesThatAreNotFiniteStateTheirRows) {
  IssueLog log({});
  log.Add(kWarning, At(7, 2), {{"word", "'nan'"}}, 8);
  log.SetValues(80);
  log.SetNonFiniteRows(5, 2);
  const Report report = log.Finish(true, true);
  EXPECT_EQ(report.issues[0].message,
            "the value is 'nan'; not finite in the whole clip: 8 of 80 values "
            "(10 %) in 5 "
            "frames, 2 runs; the motion is not judged");
}

TEST(IssueLog, TellsAnIgnoredIssueFromOneThatIsListedOrMissing) {
  ReportOptions options;
  options.ignore = {"DATA_NOT_FINITE", "DATA_SPIKE"};
  IssueLog log(options);
  log.Add(IssueCode::DATA_NOT_FINITE, At(7, 2), {{"word", "'nan'"}});
  log.Add(IssueCode::DATA_JUMP, At(7, 2));
  EXPECT_TRUE(log.HasIgnored(IssueCode::DATA_NOT_FINITE));
  EXPECT_FALSE(log.HasIgnored(IssueCode::DATA_JUMP)) << "is listed";
  EXPECT_FALSE(log.HasIgnored(IssueCode::DATA_SPIKE)) << "does not occur";
  EXPECT_TRUE(log.HasListed(IssueCode::DATA_JUMP));
  EXPECT_FALSE(log.HasListed(IssueCode::DATA_NOT_FINITE)) << "is ignored";
  EXPECT_FALSE(log.HasListed(IssueCode::DATA_SPIN)) << "does not occur";
}

TEST(IssueLog, AnIssueAboutTheFrameTimeHasItsPlace) {
  Location place;
  place.line = 31;
  place.column = 13;
  IssueLog log({});
  log.SetFrameTimePlace(place);
  log.Add(IssueCode::DATA_FRAME_TIME_ODD, {});
  log.Add(IssueCode::DATA_RADIANS, {});
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 2u);
  for (const Issue& issue : report.issues) {
    const bool is_about_it = issue.code == "DATA_FRAME_TIME_ODD";
    EXPECT_EQ(issue.location.line.value_or(0), is_about_it ? 31 : 0);
    EXPECT_EQ(issue.location.column.value_or(0), is_about_it ? 13 : 0);
  }
}

// The rows of both codes are counted together.
TEST(IssueLog, RowsOfTwoCodesAreNotStatedButThatTheyAreNotJudged) {
  for (const bool is_ignored : {false, true}) {
    ReportOptions options;
    if (is_ignored) options.ignore = {"DATA_OUT_OF_RANGE"};
    IssueLog log(options);
    log.Add(kWarning, At(7, 2), {{"word", "'nan'"}}, 8);
    const bool is_counted = log.Repeat(IssueCode::DATA_OUT_OF_RANGE, 2);
    EXPECT_EQ(is_counted, is_ignored);
    if (!is_counted) {
      log.Add(IssueCode::DATA_OUT_OF_RANGE, At(8, 2), {{"word", "'1e39'"}}, 2);
    }
    log.SetValues(80);
    log.SetNonFiniteRows(5, 2);
    const Report report = log.Finish(true, true);
    ASSERT_EQ(report.issues.size(), is_ignored ? 1 : 2);
    EXPECT_EQ(report.issues[0].message,
              "the value is 'nan'; not finite in the whole clip: 8 of 80 "
              "values (10 %); the motion is not judged");
    for (const auto& [name, value] : report.issues[0].args) {
      EXPECT_TRUE(name != "frames" && name != "runs") << name;
    }
  }
}

TEST(IssueLog, TheReportNamesThresholdsThatWereChanged) {
  ReportOptions options;
  options.thresholds = {{"DATA_SPIKE", "degrees", 7},
                        {"DATA_CUT", "share", 0.3},
                        {"DATA_SPIKE", "degrees", 4}};
  IssueLog log(options);
  EXPECT_THAT(log.Finish(true, true).thresholds,
              ElementsAre(ThresholdChoice{"DATA_SPIKE", "degrees", 4}));
}

TEST(IssueLog, ValuesThatAreNotFiniteStateTheirShare) {
  struct Case {
    int64_t count;
    int64_t values;
    std::string share;
  };
  const Case cases[] = {
      {1, 1, "1 of 1 value (100 %)"},
      {1, 2, "1 of 2 values (50 %)"},
      {999, 1000, "999 of 1000 values (99 %)"},
      {1, 100, "1 of 100 values (1 %)"},
      {1, 101, "1 of 101 values (<1 %)"},
      {1, int64_t{1} << 60, "1 of 1152921504606846976 values (<1 %)"},
  };
  for (const Case& c : cases) {
    IssueLog log({});
    log.Add(IssueCode::DATA_NOT_FINITE, At(1, 0), {{"word", "nan"}}, c.count);
    log.Add(IssueCode::DATA_OUT_OF_RANGE, At(2, 0), {{"word", "1e39"}});
    log.SetValues(c.values);
    const Report report = log.Finish(true, true);
    ASSERT_EQ(report.issues.size(), 2);
    EXPECT_EQ(report.issues[0].message,
              "the value is nan; not finite in the whole clip: " + c.share);
    EXPECT_THAT(report.issues[1].message, ::testing::HasSubstr(": 1 of "));
  }
}

TEST(IssueLog, SharesAreOfAllJointsTogetherAndFollowTheSeverity) {
  ReportOptions options;
  options.strict = true;
  options.max_issues = 1;
  IssueLog log(options);
  log.Add(kWarning, At(1, 0), {{"word", "nan"}});
  for (int i = 0; i < 3; ++i) log.Repeat(kWarning, 0);
  log.Add(kWarning, At(2, 1), {{"word", "nan"}});
  log.SetValues(20);
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1);
  EXPECT_EQ(report.issues[0].severity, Severity::kError);
  EXPECT_EQ(
      report.issues[0].message,
      "the value is nan; not finite in the whole clip: 5 of 20 values (25 %)");
}

TEST(IssueLog, RepeatCountsWhatWasAdded) {
  IssueLog log({});
  EXPECT_FALSE(log.Repeat(kWarning, 2));
  log.Add(kWarning, At(7, 2));
  EXPECT_TRUE(log.Repeat(kWarning, 2));
  EXPECT_TRUE(log.Repeat(kWarning, 2));
  EXPECT_FALSE(log.Repeat(kWarning, 3));
  EXPECT_FALSE(log.Repeat(kInfo, 2));
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report), ElementsAre("DATA_NOT_FINITE@7"));
  EXPECT_EQ(report.issues[0].occurrences, 3);
  EXPECT_EQ(report.counts.warnings, 3);
}

TEST(IssueLog, RepeatIsEnoughWhereNothingWouldBeListed) {
  ReportOptions options;
  options.max_issues = 1;
  options.ignore = {"MOTION_NUMBER_INVALID"};
  IssueLog log(options);
  EXPECT_TRUE(log.Repeat(kError, 2));
  EXPECT_EQ(log.faults(), 1);
  log.Add(kWarning, At(7, 2));
  EXPECT_TRUE(log.Repeat(kWarning, 3));
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report), ElementsAre("DATA_NOT_FINITE@7"));
  EXPECT_EQ(report.issues[0].occurrences, 1);
  EXPECT_EQ(report.counts.errors, 0);
  EXPECT_EQ(report.counts.warnings, 2);
  EXPECT_TRUE(report.truncated);
}

// Beyond the cap, and where codes are ignored, the counts stay right too.
TEST(IssueLog, RepeatOrAddGiveTheSameReport) {
  for (const bool ignored : {false, true}) {
    ReportOptions options;
    options.max_issues = 3;
    if (ignored) options.ignore = {"DATA_NOT_FINITE"};
    IssueLog added(options);
    IssueLog repeated(options);
    for (int i = 0; i < 100; ++i) {
      const int32_t joint = i % 7;
      added.Add(kWarning, At(i, joint));
      if (!repeated.Repeat(kWarning, joint))
        repeated.Add(kWarning, At(i, joint));
    }
    const Report a = added.Finish(true, true);
    const Report b = repeated.Finish(true, true);
    EXPECT_EQ(Listed(a), Listed(b));
    EXPECT_EQ(a.counts.warnings, b.counts.warnings);
    EXPECT_EQ(a.counts.warnings, ignored ? 0 : 100);
    EXPECT_EQ(a.truncated, b.truncated);
  }
}

TEST(IssueLog, FillsIssues) {
  IssueLog log({});
  Location location = At(12, 4);
  location.frame = 3;
  location.joint_name = "Hips";
  log.Add(kError, location, {{"word", "'1,5'"}});
  const Report report = log.Finish(true, false);
  ASSERT_EQ(report.issues.size(), 1);
  const Issue& issue = report.issues[0];
  EXPECT_EQ(issue.code, "MOTION_NUMBER_INVALID");
  EXPECT_EQ(issue.severity, Severity::kError);
  EXPECT_EQ(issue.message, "'1,5' is not a number");
  EXPECT_THAT(issue.args, ElementsAre(std::pair("word", "'1,5'")));
  EXPECT_EQ(issue.location.frame, 3);
  EXPECT_EQ(issue.location.joint, 4);
  EXPECT_EQ(issue.location.joint_name, "Hips");
  EXPECT_EQ(report.rules_version, kRulesVersion);
}

TEST(IssueLog, CountsAreExactBeyondTheCap) {
  ReportOptions options;
  options.max_issues = 5;
  IssueLog log(options);
  for (int joint = 0; joint < 1000; ++joint) {
    log.Add(kWarning, At(joint + 1, joint), {}, 2);
    log.Add(kInfo, At(joint + 1, joint));
  }
  log.Add(kWarning, At(2000, 999));
  log.Add(kWarning, At(2001, 0));
  const Report report = log.Finish(true, true);
  EXPECT_EQ(report.counts.warnings, 2002);
  EXPECT_EQ(report.counts.infos, 1000);
  EXPECT_TRUE(report.truncated);
  ASSERT_EQ(report.issues.size(), 5);
  EXPECT_EQ(report.issues[0].occurrences, 3);
}

TEST(IssueLog, IsNotTruncatedJustAtTheCap) {
  ReportOptions options;
  options.max_issues = 3;
  for (int issues = 0; issues < 6; ++issues) {
    IssueLog log(options);
    for (int joint = 0; joint < issues; ++joint) {
      log.Add(joint % 2 == 0 ? kWarning : kInfo, At(1, joint));
    }
    const Report report = log.Finish(true, true);
    EXPECT_EQ(report.truncated, issues > 3) << issues;
    EXPECT_EQ(report.issues.size(), std::min(issues, 3)) << issues;
  }
}

// CesiumGS/3d-tiles-validator#291: warnings used up the cap.
TEST(IssueLog, WarningsDoNotCrowdOutErrors) {
  ReportOptions options;
  options.max_issues = 2;
  IssueLog log(options);
  for (int joint = 0; joint < 100; ++joint) {
    log.Add(kHint, At(joint, joint));
    log.Add(kWarning, At(joint, joint));
  }
  log.Add(kError, At(500, 1));
  const Report report = log.Finish(true, false);
  EXPECT_THAT(Listed(report),
              ElementsAre("MOTION_NUMBER_INVALID@500", "DATA_NOT_FINITE@0"));
  EXPECT_EQ(FirstError(report), &report.issues[0]);
}

TEST(IssueLog, SortsBySeverityThenByPlace) {
  IssueLog log({});
  log.Add(kHint, At(1));
  log.Add(kInfo, At(2, 1));
  log.Add(kWarning, At(9, 1));
  log.Add(kError, At(8, 1));
  log.Add(kWarning, At(3, 2));
  log.Add(kError, At(7, 2));
  EXPECT_THAT(Listed(log.Finish(true, false)),
              ElementsAre("MOTION_NUMBER_INVALID@7", "MOTION_NUMBER_INVALID@8",
                          "DATA_NOT_FINITE@3", "DATA_NOT_FINITE@9",
                          "SKELETON_ZERO_LENGTH_BONE@2",
                          "DATA_ROOT_OFFSET_ADDITIVE@1"));
}

TEST(IssueLog, SortsIssuesOfOnePlaceByTheirJoint) {
  IssueLog log({});
  log.Add(kWarning, At(3, 5));
  log.Add(kWarning, At(3, 2));
  log.Add(kWarning, At(3));
  const Report report = log.Finish(true, false);
  std::vector<int32_t> joints;
  for (const Issue& issue : report.issues) {
    joints.push_back(issue.location.joint.value_or(-1));
  }
  EXPECT_THAT(joints, ElementsAre(-1, 2, 5));
}

TEST(IssueLog, FaultsCountOccurrencesOfErrors) {
  IssueLog log({});
  EXPECT_EQ(log.faults(), 0);
  log.Add(kWarning, At(1), {}, 5);
  EXPECT_EQ(log.faults(), 0);
  log.Add(kError, At(1), {}, 5);
  log.Add(kError, At(2));
  EXPECT_EQ(log.faults(), 6);
}

struct VerdictCase {
  std::vector<IssueCode> issues;
  bool skeleton_read;
  bool motion_read;
  Verdict verdict;
};

TEST(IssueLog, VerdictTable) {
  const VerdictCase cases[] = {
      {{}, true, true, Verdict::kValid},
      {{kInfo, kHint}, true, true, Verdict::kValid},
      {{kWarning}, true, true, Verdict::kAccepted},
      {{kWarning, kInfo}, true, true, Verdict::kAccepted},
      {{kError}, true, true, Verdict::kInvalid},
      {{kError}, true, false, Verdict::kInvalid},
      {{kWarning, kError}, true, false, Verdict::kInvalid},
      {{}, true, false, Verdict::kInvalid},
      {{kError}, false, false, Verdict::kUnreadable},
      {{}, false, false, Verdict::kUnreadable},
      {{kWarning}, false, false, Verdict::kUnreadable},
  };
  for (const VerdictCase& c : cases) {
    IssueLog log({});
    for (const IssueCode code : c.issues) log.Add(code, At(1));
    EXPECT_EQ(VerdictName(log.Finish(c.skeleton_read, c.motion_read).verdict),
              VerdictName(c.verdict))
        << c.issues.size() << c.skeleton_read << c.motion_read;
  }
}

}  // namespace
}  // namespace bvhmill::testing
