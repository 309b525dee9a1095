// Whole files with a known verdict: each folder holds small BVH files and a
// table EXPECTED.tsv that says how they are to be judged.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bvhmill/pipeline/convert.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::string JudgementOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "accept";
    case Verdict::kAccepted:
      return "accept-with-warning";
    default:
      return "reject";
  }
}

// True if some issue of at least the severity that decided stands on a line
// that the table names.
bool HasIssueOnLine(const Report& report, const std::string& lines) {
  const Severity decisive =
      IsGood(report.verdict) ? Severity::kWarning : Severity::kError;
  const std::vector<std::string> wanted = Split(lines, '|');
  return std::any_of(
      report.issues.begin(), report.issues.end(), [&](const Issue& issue) {
        const auto line = std::to_string(issue.location.line.value_or(0));
        return issue.severity == decisive &&
               std::find(wanted.begin(), wanted.end(), line) != wanted.end();
      });
}

std::string Describe(const ConvertResult& result) {
  std::string out = JudgementOf(result.report.verdict) + ", " +
                    std::to_string(result.info.joint_count) + " joints, " +
                    std::to_string(result.info.frames) + " frames";
  for (const Issue& issue : result.report.issues) {
    out += "\n    " + RenderIssue(issue);
  }
  return out;
}

// "" = anything; "a|b" = either.
bool Matches(const std::string& wanted, int64_t value) {
  if (wanted.empty()) return true;
  const std::vector<std::string> values = Split(wanted, '|');
  return std::find(values.begin(), values.end(), std::to_string(value)) !=
         values.end();
}

void CheckCase(const std::string& folder,
               const std::map<std::string, std::string>& row) {
  SCOPED_TRACE(row.at("file") + ": " + row.at("what"));
  const std::string text = ReadFile(folder + "/" + row.at("file"));
  const ConvertResult result = Convert(text, {}, nullptr, nullptr);
  const std::string judgement = JudgementOf(result.report.verdict);
  const std::vector<std::string> also = Split(row.at("also_ok"), '|');
  const bool expected = judgement == row.at("expectation");
  EXPECT_TRUE(expected ||
              std::find(also.begin(), also.end(), judgement) != also.end())
      << "expected " << row.at("expectation") << ", got " << Describe(result);
  if (expected && judgement != "accept" && !row.at("line").empty()) {
    EXPECT_TRUE(HasIssueOnLine(result.report, row.at("line")))
        << "expected on line " << row.at("line") << ", got "
        << Describe(result);
  }
  if (judgement == "reject") return;
  EXPECT_TRUE(Matches(row.at("joints"), result.info.joint_count))
      << row.at("joints") << " joints, got " << Describe(result);
  EXPECT_TRUE(Matches(row.at("frames"), result.info.frames))
      << row.at("frames") << " frames, got " << Describe(result);
}

void CheckFolder(const std::string& folder) {
  const auto rows = ReadTsv(folder + "/EXPECTED.tsv");
  EXPECT_EQ(rows.size(), FilesIn(folder, ".bvh").size());
  for (const auto& row : rows) CheckCase(folder, row);
}

TEST(Cases, OwnFilesAreJudgedAsExpected) { CheckFolder(TestData("cases")); }

TEST(Cases, RealDataCasesAreJudgedAsExpected) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to check the cases there";
  }
  CheckFolder(RealData() + "/bvh-cases");
}

}  // namespace
}  // namespace bvhmill::testing
