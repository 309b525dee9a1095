// Issues that a log hands over before the clip ends.

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "tests/report/logged.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

// "CODE@line" of each issue that is new.
std::vector<std::string> New(IssueLog* log) {
  Report report;
  report.issues = log->TakeNew();
  return Listed(report);
}

TEST(NewIssues, AreTakenOnceInTheOrderOfTheFile) {
  IssueLog log({});
  EXPECT_THAT(New(&log), ElementsAre());
  log.Add(kError, At(9));
  log.Add(kHint, At(3));
  log.Add(kError, At(10));
  EXPECT_THAT(New(&log), ElementsAre("DATA_ROOT_OFFSET_ADDITIVE@3",
                                     "MOTION_NUMBER_INVALID@9"));
  log.Add(kError, At(11));
  EXPECT_THAT(New(&log), ElementsAre());
  log.Add(kError, At(12, 1));
  EXPECT_THAT(New(&log), ElementsAre("MOTION_NUMBER_INVALID@12"));
  const Report report = log.Finish(true, true);
  EXPECT_THAT(Listed(report),
              ElementsAre("MOTION_NUMBER_INVALID@9", "MOTION_NUMBER_INVALID@12",
                          "DATA_ROOT_OFFSET_ADDITIVE@3"));
  EXPECT_EQ(report.issues[0].occurrences, 3);
}

TEST(NewIssues, TheLastOneIsAnError) {
  ReportOptions options;
  options.max_issues = 3;
  IssueLog log(options);
  for (int joint = 0; joint < 3; ++joint) log.Add(kInfo, At(joint, joint));
  EXPECT_EQ(log.TakeNew().size(), 2U);
  log.Add(kError, At(7));
  EXPECT_THAT(New(&log), ElementsAre("MOTION_NUMBER_INVALID@7"));
  log.Add(kError, At(8, 2));
  EXPECT_THAT(New(&log), ElementsAre());
}

TEST(NewIssues, ThoseOfALongerLogAreNew) {
  IssueLog log({});
  log.Add(kWarning, At(1));
  IssueLog longer = log;
  EXPECT_THAT(New(&log), ElementsAre("DATA_NOT_FINITE@1"));
  longer.Add(kError, At(2));
  log.GoOnAs(std::move(longer));
  EXPECT_THAT(New(&log), ElementsAre("MOTION_NUMBER_INVALID@2"));
  EXPECT_EQ(log.faults(), 1);
}

TEST(NewIssues, HaveNoShareYet) {
  IssueLog log({});
  log.Add(kWarning, At(7, 2), {{"word", "'nan'"}});
  log.Add(IssueCode::DATA_OUT_OF_RANGE, At(8), {{"word", "1e99"}});
  const std::vector<Issue> issues = log.TakeNew();
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0].message, "the value is 'nan'");
  EXPECT_EQ(issues[1].message,
            "1e99 is beyond single precision and became infinite");
}

}  // namespace
}  // namespace bvhmill::testing
