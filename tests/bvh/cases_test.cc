// Whole files with a known verdict: each folder holds small BVH files and a
// table EXPECTED.tsv that says how they are to be judged. Our own table lists
// all issues of a file as well.

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
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

// "warning CODE 34:36 frame 1 x2 | ...": severity, code, and what is known of
// line, column, frame and number of occurrences.
std::string IssuesOf(const Report& report) {
  std::string out;
  for (const Issue& issue : report.issues) {
    const Location& at = issue.location;
    if (!out.empty()) out += " | ";
    out += std::string(SeverityName(issue.severity)) + " " + issue.code;
    if (at.line) out += " " + std::to_string(*at.line);
    if (at.column) out += ":" + std::to_string(*at.column);
    if (at.frame) out += " frame " + std::to_string(*at.frame);
    if (issue.occurrences != 1) out += " x" + std::to_string(issue.occurrences);
  }
  return out;
}

// The column in words such as "a bad word in row 2 (column 36)"; "" if they
// name none.
std::string ColumnIn(const std::string& what) {
  std::smatch match;
  const std::regex column("\\(column ([0-9]+)");
  return std::regex_search(what, match, column) ? match[1].str() : "";
}

bool HasIssueInColumn(const Report& report, const std::string& column) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [&](const Issue& issue) {
        return std::to_string(issue.location.column.value_or(0)) == column;
      });
}

void CheckIssues(const ConvertResult& result,
                 const std::map<std::string, std::string>& row) {
  const std::string column = ColumnIn(row.at("what"));
  if (!column.empty()) {
    EXPECT_TRUE(HasIssueInColumn(result.report, column)) << Describe(result);
  }
  const auto issues = row.find("issues");
  if (issues != row.end()) {
    EXPECT_EQ(IssuesOf(result.report), issues->second);
  }
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
  if (expected || row.contains("issues")) CheckIssues(result, row);
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

TEST(Cases, OwnFilesAreJudgedAsExpected) {
  EXPECT_GT(ReadTsv(TestData("cases/EXPECTED.tsv")).size(), 600);
  CheckFolder(TestData("cases"));
}

TEST(Cases, RealDataCasesAreJudgedAsExpected) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to check the cases there";
  }
  CheckFolder(RealData() + "/bvh-cases");
}

}  // namespace
}  // namespace bvhmill::testing
