// tests/data/golden: each NAME.bvh has its report beside it. With
// BVHMILL_UPDATE_GOLDEN=1 the reports are written instead of compared.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

bool IsUpdate() {
  const char* update = std::getenv("BVHMILL_UPDATE_GOLDEN");
  return update != nullptr && std::string_view(update) == "1";
}

std::string ReportOf(const std::string& path) {
  const ConvertResult result = Convert(ReadFile(path), {}, nullptr, nullptr);
  const std::string name = std::filesystem::path(path).filename();
  return ReportJson(name, result.report, result.info) + "\n";
}

std::string GoldenOf(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".report.json");
}

TEST(Golden, ReportsAreAsTheyWere) {
  const auto paths = FilesIn(TestData("golden"), ".bvh");
  ASSERT_GE(paths.size(), 25);
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    if (IsUpdate()) WriteFile(GoldenOf(path), ReportOf(path));
    EXPECT_EQ(ReportOf(path), ReadFile(GoldenOf(path)));
  }
}

TEST(Golden, NoReportIsLeftAlone) {
  for (const std::string& path : FilesIn(TestData("golden"), ".json")) {
    const std::string name = path.substr(0, path.rfind(".report.json"));
    EXPECT_TRUE(std::filesystem::exists(name + ".bvh")) << path;
  }
}

// The folder is worth its place only if it shows many kinds of reports.
TEST(Golden, CoversEveryVerdict) {
  std::set<Verdict> verdicts;
  for (const std::string& path : FilesIn(TestData("golden"), ".bvh")) {
    verdicts.insert(
        Convert(ReadFile(path), {}, nullptr, nullptr).report.verdict);
  }
  EXPECT_EQ(verdicts.size(), 4);
}

}  // namespace
}  // namespace bvhmill::testing
