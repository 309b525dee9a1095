// Which issues a report lists, and with which severities.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "tests/report/logged.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

TEST(IssueLog, IgnoredCodesAreNeitherListedNorCounted) {
  ReportOptions options;
  options.ignore = {"DATA_NOT_FINITE", "MOTION_NUMBER_INVALID"};
  IssueLog log(options);
  log.Add(kWarning, At(1));
  log.Add(kError, At(2));
  log.Add(kInfo, At(3));
  EXPECT_EQ(log.faults(), 1);
  const Report report = log.Finish(true, false);
  EXPECT_THAT(Listed(report), ElementsAre("SKELETON_ZERO_LENGTH_BONE@3"));
  EXPECT_EQ(report.counts.errors, 0);
  EXPECT_EQ(report.counts.warnings, 0);
  EXPECT_EQ(report.counts.infos, 1);
  EXPECT_FALSE(report.truncated);
  EXPECT_EQ(report.verdict, Verdict::kInvalid);
}

TEST(IssueLog, OnlyCodesHideAllOthers) {
  ReportOptions options;
  options.only = {"DATA_NOT_FINITE"};
  IssueLog log(options);
  log.Add(kWarning, At(1));
  log.Add(kError, At(2));
  log.Add(kInfo, At(3));
  EXPECT_EQ(log.faults(), 1);
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report), ElementsAre("DATA_NOT_FINITE@1"));
  EXPECT_EQ(report.counts.errors + report.counts.infos, 0);
}

TEST(IssueLog, GroupsStandForTheirCodes) {
  ReportOptions options;
  options.ignore = {"DATA_*"};
  IssueLog log(options);
  log.Add(kWarning, At(1));
  log.Add(kInfo, At(3));
  EXPECT_THAT(Listed(log.Finish(true, true)),
              ElementsAre("SKELETON_ZERO_LENGTH_BONE@3"));
}

TEST(ListsData, SaysWhetherTheRulesCountAtAll) {
  const struct {
    std::vector<std::string> ignored;
    std::vector<std::string> only;
    bool is_strict;
    bool lists_data;
  } kCases[] = {
      {{}, {}, false, true},
      {{"DATA_*"}, {}, false, false},
      {{"DATA_*"}, {}, true, true},
      {{"DATA_SPIKE"}, {}, false, true},
      {{}, {"TEXT_*"}, false, false},
      {{}, {"TEXT_*", "DATA_SPIN"}, false, true},
      {{"DATA_SPIN"}, {"TEXT_*", "DATA_SPIN"}, false, false},
  };
  for (const auto& c : kCases) {
    ReportOptions options;
    options.ignore = c.ignored;
    options.only = c.only;
    options.strict = c.is_strict;
    EXPECT_EQ(ListsData(options), c.lists_data)
        << ::testing::PrintToString(c.ignored) << " "
        << ::testing::PrintToString(c.only);
  }
}

TEST(IssueLog, IgnoreHoldsAmongOnlyCodes) {
  ReportOptions options;
  options.only = {"DATA_NOT_FINITE"};
  options.ignore = {"DATA_NOT_FINITE"};
  IssueLog log(options);
  log.Add(kWarning, At(1));
  EXPECT_TRUE(log.Finish(true, true).issues.empty());
}

TEST(IssueLog, OverridesChangeSeverityCountAndVerdict) {
  ReportOptions options;
  options.severities = {{"DATA_NOT_FINITE", Severity::kError},
                        {"SKELETON_ZERO_LENGTH_BONE", Severity::kHint}};
  IssueLog log(options);
  log.Add(kInfo, At(1));
  log.Add(kWarning, At(2));
  EXPECT_EQ(log.faults(), 0);
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report),
              ElementsAre("DATA_NOT_FINITE@2", "SKELETON_ZERO_LENGTH_BONE@1"));
  EXPECT_EQ(report.issues[0].severity, Severity::kError);
  EXPECT_EQ(report.counts.errors, 1);
  EXPECT_EQ(report.counts.hints, 1);
  EXPECT_EQ(report.verdict, Verdict::kInvalid);
}

TEST(IssueLog, OverridesHoldInStrictMode) {
  ReportOptions options;
  options.strict = true;
  options.severities = {{"DATA_NOT_FINITE", Severity::kInfo}};
  IssueLog log(options);
  log.Add(kWarning, At(1));
  const Report report = log.Finish(true, true);
  EXPECT_EQ(report.counts.infos, 1);
  EXPECT_EQ(report.verdict, Verdict::kValid);
}

TEST(IssueLog, StrictTakesTheStrictSeverity) {
  for (const CatalogueEntry& entry : Catalogue()) {
    ReportOptions options;
    options.strict = true;
    IssueLog log(options);
    log.Add(entry.code, At(1));
    EXPECT_EQ(log.faults(), entry.lenient == Severity::kError ? 1 : 0)
        << entry.name;
    const Report report = log.Finish(true, true);
    EXPECT_EQ(report.issues.at(0).severity, entry.strict) << entry.name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
