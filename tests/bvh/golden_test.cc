// Folders of files with a golden report each: NAME.report.json beside NAME.bvh.
// tests/data/golden shows what reports look like, tests/data/malformed every
// way to be refused. With BVHMILL_UPDATE_GOLDEN=1 the reports are written, and
// the tests fail; read the difference before you keep it, and run again.
//
// A folder may hold OPTIONS.tsv: which file is read strictly, or within which
// limit.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::IsEmpty;

bool IsUpdate() {
  const char* update = std::getenv("BVHMILL_UPDATE_GOLDEN");
  return update != nullptr && *update != '\0';
}

void SetOption(const std::string& name, const std::string& value,
               ConvertOptions* options) {
  const std::map<std::string, int64_t Limits::*> kLimits = {
      {"max_clip_bytes", &Limits::max_clip_bytes},
      {"max_header_bytes", &Limits::max_header_bytes},
      {"max_line_bytes", &Limits::max_line_bytes},
      {"max_name_bytes", &Limits::max_name_bytes},
      {"max_joints", &Limits::max_joints},
      {"max_depth", &Limits::max_depth},
      {"max_channels", &Limits::max_channels},
      {"max_frames", &Limits::max_frames},
  };
  if (name == "strict") {
    options->report.strict = value == "1";
    return;
  }
  const auto limit = kLimits.find(name);
  ASSERT_NE(limit, kLimits.end()) << name;
  options->limits.*(limit->second) = std::stoll(value);
}

std::map<std::string, ConvertOptions> OptionsOf(const std::string& folder) {
  std::map<std::string, ConvertOptions> options;
  const std::string table = folder + "/OPTIONS.tsv";
  if (!std::filesystem::exists(table)) return options;
  for (const auto& row : ReadTsv(table)) {
    const std::string path = folder + "/" + row.at("file");
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
    SetOption(row.at("option"), row.at("value"), &options[path]);
  }
  return options;
}

// Each file of `folder` converted with its options, by path.
std::map<std::string, ConvertResult> ResultsOf(const std::string& folder) {
  std::map<std::string, ConvertOptions> options = OptionsOf(folder);
  std::map<std::string, ConvertResult> results;
  for (const std::string& path : FilesIn(folder, ".bvh")) {
    results[path] = Convert(ReadFile(path), options[path], nullptr, nullptr);
  }
  return results;
}

// The version of the rules is not a part of a golden report.
std::string ReportOf(const std::string& path, const ConvertResult& result) {
  const std::string name = std::filesystem::path(path).filename();
  Report report = result.report;
  report.rules_version = "*";
  return ReportJson(name, report, result.info) + "\n";
}

std::string GoldenOf(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".report.json");
}

void CheckReports(const std::string& folder) {
  for (const auto& [path, result] : ResultsOf(folder)) {
    SCOPED_TRACE(path);
    if (IsUpdate()) {
      WriteFile(GoldenOf(path), ReportOf(path, result));
    } else {
      EXPECT_EQ(ReportOf(path, result), ReadFile(GoldenOf(path)));
    }
  }
  EXPECT_FALSE(IsUpdate()) << "written anew; unset BVHMILL_UPDATE_GOLDEN, "
                              "read the difference, run again";
}

TEST(Golden, ReportsAreUnchanged) { CheckReports(TestData("golden")); }

TEST(Golden, EveryReportHasItsClip) {
  for (const char* folder : {"golden", "malformed"}) {
    for (const std::string& path : FilesIn(TestData(folder), ".json")) {
      const std::string name = path.substr(0, path.rfind(".report.json"));
      EXPECT_TRUE(std::filesystem::exists(name + ".bvh")) << path;
    }
  }
}

// The folder is worth its place only if it shows many kinds of reports.
TEST(Golden, CoversEveryVerdict) {
  std::set<Verdict> verdicts;
  const auto results = ResultsOf(TestData("golden"));
  EXPECT_GE(results.size(), 25);
  for (const auto& [path, result] : results) {
    verdicts.insert(result.report.verdict);
  }
  EXPECT_EQ(verdicts.size(), 4);
}

TEST(Malformed, ReportsAreUnchanged) { CheckReports(TestData("malformed")); }

// The byte, the line and the column must mean one place. Lines end with LF.
void CheckPlace(std::string_view text, const Location& at) {
  ASSERT_TRUE(at.byte_offset && at.line && at.column);
  const std::string_view before =
      text.substr(0, static_cast<size_t>(*at.byte_offset));
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n') + 1, *at.line);
  EXPECT_EQ(before.size() - (before.rfind('\n') + 1) + 1, *at.column);
}

TEST(Malformed, EachFileIsRefusedAndSaysWhere) {
  const auto results = ResultsOf(TestData("malformed"));
  EXPECT_GE(results.size(), 60);
  for (const auto& [path, result] : results) {
    SCOPED_TRACE(path);
    EXPECT_FALSE(IsGood(result.report.verdict));
    EXPECT_FALSE(result.report.issues.empty());
    EXPECT_FALSE(result.status.ok());
    for (const Issue& issue : result.report.issues) {
      SCOPED_TRACE(issue.code);
      CheckPlace(ReadFile(path), issue.location);
    }
  }
}

// A second file with the same report would test nothing new.
TEST(Malformed, NoTwoReportsAreTheSame) {
  std::map<std::string, std::string> seen;
  for (const auto& [path, result] : ResultsOf(TestData("malformed"))) {
    const std::string report = ReportJson("", result.report, result.info);
    const auto [it, is_new] = seen.emplace(report, path);
    EXPECT_TRUE(is_new) << path << " is as " << it->second;
  }
  EXPECT_GE(seen.size(), 60);
}

// tests/anim and tests/cli show the others.
bool IsOfBvh(const CatalogueEntry& entry) {
  return !entry.name.starts_with("ANIM_") &&
         !entry.name.starts_with("TARGET_") &&
         !entry.name.starts_with("DATASET_");
}

// Each code that can refuse a file, in lenient or strict reading, is shown by
// at least one file.
TEST(Malformed, EveryCodeThatRefusesIsShown) {
  std::set<std::string> codes;
  for (const CatalogueEntry& entry : Catalogue()) {
    if (IsOfBvh(entry) && entry.strict == Severity::kError) {
      codes.emplace(entry.name);
    }
  }
  for (const auto& [path, result] : ResultsOf(TestData("malformed"))) {
    for (const Issue& issue : result.report.issues) {
      if (issue.severity == Severity::kError) codes.erase(issue.code);
    }
  }
  EXPECT_THAT(codes, IsEmpty());
}

// The page on the format says what is done about each of them.
TEST(Malformed, EveryCodeThatRefusesIsExplained) {
  const std::string page = ReadFile(SourceFile("docs/formats/bvh.md"));
  for (const CatalogueEntry& entry : Catalogue()) {
    if (!IsOfBvh(entry) || entry.strict != Severity::kError) continue;
    const std::string code = "`" + std::string(entry.name) + "`";
    EXPECT_NE(page.find(code), page.npos) << entry.name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
