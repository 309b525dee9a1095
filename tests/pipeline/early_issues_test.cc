// Issues that are known while a clip still comes, against its report.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// The clip in pieces of `size` bytes, and the issues after each piece.
struct EarlyRun {
  std::vector<Issue> early;
  ConvertResult result;
};

EarlyRun ConvertEarly(const std::string& text, const ConvertOptions& options,
                      size_t size) {
  EarlyRun run;
  Converter worker;
  Conversion clip(&worker, options, nullptr, nullptr, &run.result);
  for (size_t at = 0; at < text.size(); at += size) {
    clip.Add(std::string_view(text).substr(at, size));
    for (Issue& issue : clip.TakeNewIssues()) {
      run.early.push_back(std::move(issue));
    }
  }
  clip.Finish();
  EXPECT_TRUE(clip.TakeNewIssues().empty());
  return run;
}

bool IsSamePlace(const Location& a, const Location& b) {
  return a.byte_offset == b.byte_offset && a.line == b.line &&
         a.column == b.column && a.frame == b.frame && a.joint == b.joint &&
         a.channel == b.channel && a.joint_name == b.joint_name;
}

// Every early issue is in the report, once.
void ExpectConsistent(const EarlyRun& run) {
  const std::vector<Issue>& listed = run.result.report.issues;
  std::vector<bool> used(listed.size());
  for (const Issue& early : run.early) {
    bool is_found = false;
    for (size_t i = 0; i < listed.size() && !is_found; ++i) {
      is_found = !used[i] && listed[i].code == early.code &&
                 listed[i].severity == early.severity &&
                 IsSamePlace(listed[i].location, early.location) &&
                 listed[i].occurrences >= early.occurrences;
      if (is_found) used[i] = true;
    }
    EXPECT_TRUE(is_found || run.result.report.truncated) << early.code;
  }
}

TEST(EarlyIssues, AreThoseOfTheReport) {
  size_t early = 0;
  for (const char* folder : {"cases", "malformed"}) {
    for (const std::string& path : FilesIn(TestData(folder), ".bvh")) {
      SCOPED_TRACE(path);
      const std::string text = ReadFile(path);
      for (const size_t size : {size_t{1}, size_t{40}, size_t{4096}}) {
        const EarlyRun run = ConvertEarly(text, {}, size);
        ExpectConsistent(run);
        early += run.early.size();
      }
    }
  }
  EXPECT_GT(early, 300U);
}

// A clip of `joints` joints with a comment each, and many rows: the first has
// no finite value.
std::string ManyFaults(int joints) {
  std::string text = "HIERARCHY\n";
  std::string end;
  std::string row;
  std::string zeros;
  for (int i = 0; i < joints; ++i) {
    text += std::string(i == 0 ? "ROOT" : "JOINT") +
            " a\n{\n# a comment\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n";
    end += "}\n";
    row += "nan ";
    zeros += "0 ";
  }
  text += end + "MOTION\nFrames: 101\nFrame Time: 0.1\n" + row + "\n";
  for (int i = 0; i < 100; ++i) text += zeros + "\n";
  return text;
}

TEST(EarlyIssues, AreAtMostMaxIssuesOfWhichTheLastIsAnError) {
  ConvertOptions options;
  options.report.severities = {{"TEXT_COMMENT", Severity::kHint},
                               {"DATA_NOT_FINITE", Severity::kError}};
  for (const int64_t most : {1, 2, 3, 7}) {
    options.report.max_issues = most;
    const EarlyRun run = ConvertEarly(ManyFaults(30), options, 10);
    EXPECT_EQ(static_cast<int64_t>(run.early.size()), most);
    ASSERT_FALSE(run.early.empty());
    EXPECT_EQ(run.early.back().severity, Severity::kError);
  }
}

TEST(EarlyIssues, IgnoredCodesDoNotCome) {
  ConvertOptions options;
  options.report.ignore = {"TEXT_COMMENT"};
  for (const Issue& issue : ConvertEarly(ManyFaults(3), options, 10).early) {
    EXPECT_NE(issue.code, "TEXT_COMMENT");
  }
}

TEST(EarlyIssues, AReportIsTheSameWithoutThem) {
  const std::string text = ManyFaults(20);
  const EarlyRun early = ConvertEarly(text, {}, 10);
  ConvertResult result;
  const ConvertOptions options;
  Converter worker;
  Conversion clip(&worker, options, nullptr, nullptr, &result);
  clip.Add(text);
  clip.Finish();
  ASSERT_EQ(early.result.report.issues.size(), result.report.issues.size());
  for (size_t i = 0; i < result.report.issues.size(); ++i) {
    EXPECT_EQ(early.result.report.issues[i].message,
              result.report.issues[i].message);
  }
}

}  // namespace
}  // namespace bvhmill::testing
