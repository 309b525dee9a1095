// The report of each file with a fault is as it was: golden/KIND.txt. With
// BVHMILL_UPDATE_GOLDEN=1 the tables are written, and the test fails; read the
// difference before you keep it, and run again.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/faults/golden_reports.h"
#include "tests/support/files.h"

namespace bvhmill::faults {
namespace {

// Files of a kind at one strength: as many as show how reports differ.
constexpr int kGoldenCopies = 2;

bool IsGoldenUpdate() {
  const char* update = std::getenv("BVHMILL_UPDATE_GOLDEN");
  return update != nullptr && *update != '\0';
}

std::string GoldenFolder() {
  return testing::SourceFile("tests/faults/golden");
}

TEST(GoldenFaults, ReportsAreUnchanged) {
  const std::vector<FaultyFile> files =
      MakeFaultyFiles(GeneratedClips(), kGoldenCopies);
  EXPECT_GE(files.size(), 120u);
  for (const auto& [kind, table] : GoldenReports(files)) {
    SCOPED_TRACE(kind);
    const std::string path = GoldenFolder() + "/" + kind + ".txt";
    if (IsGoldenUpdate()) {
      testing::WriteFile(path, table);
    } else {
      EXPECT_EQ(table, testing::ReadFile(path));
    }
  }
  EXPECT_FALSE(IsGoldenUpdate())
      << "written anew; unset BVHMILL_UPDATE_GOLDEN, "
         "read the difference, run again";
}

TEST(GoldenFaults, EveryTableHasItsKind) {
  std::set<std::string> kinds;
  for (const FaultKind& kind : AllFaults()) kinds.insert(kind.name);
  for (const std::string& path : testing::FilesIn(GoldenFolder(), ".txt")) {
    EXPECT_TRUE(kinds.contains(std::filesystem::path(path).stem())) << path;
  }
}

}  // namespace
}  // namespace bvhmill::faults
