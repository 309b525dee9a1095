// Every code of the catalogue is produced by a case: a golden report, a golden
// output of the command line, or a table of a test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bvhmill/report/report.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::IsEmpty;

// Adds the words of `text` that may be codes.
void AddCodes(const std::string& text, std::set<std::string>* codes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  size_t end = 0;
  while (true) {
    const size_t begin = text.find_first_of(kLetters, end);
    if (begin == std::string::npos) return;
    end = std::min(text.find_first_not_of(kLetters, begin), text.size());
    codes->insert(text.substr(begin, end - begin));
  }
}

// The issue codes in the golden reports of the library and the command line.
std::set<std::string> CodesOfGoldens() {
  std::set<std::string> codes;
  for (const char* folder : {"tests/data/golden", "tests/data/malformed"}) {
    for (const std::string& path : FilesIn(SourceFile(folder), ".json")) {
      AddCodes(ReadFile(path), &codes);
    }
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFile("tests/cli"))) {
    if (!entry.is_directory()) continue;
    for (const char* name : {"stdout.exact", "stderr.exact"}) {
      const std::filesystem::path path = entry.path() / name;
      if (std::filesystem::exists(path)) {
        AddCodes(ReadFile(path.string()), &codes);
      }
    }
  }
  return codes;
}

// Tests whose tables state the code that each row gives.
std::set<std::string> CodesOfTables() {
  std::set<std::string> codes;
  for (const char* name :
       {"tests/data/cases/EXPECTED.tsv",
        "tests/anim/format/anim_reader_test.cc",
        "tests/anim/format/anim_checks_test.cc",
        "tests/anim/anim_to_clip_test.cc", "tests/anim/clip_to_anim_test.cc",
        "tests/anim/clip_to_anim_report_test.cc",
        "tests/anim/clip_to_anim_options_test.cc",
        "tests/anim/viewer/viewer_loader_test.cc", "tests/anim/upright_test.cc",
        "tests/encode/anim_test.cc", "tests/server/convert/unary_test.cc",
        "tests/server/convert/unknown_fields_test.cc",
        "tests/validate/validate_test.cc", "tests/bvh/faults_test.cc",
        "tests/edit/repair_test.cc"}) {
    AddCodes(ReadFile(SourceFile(name)), &codes);
  }
  return codes;
}

// If this fails, add a file to tests/data, or a case to tests/cli, that shows
// the code.
TEST(IssueCases, ProduceEveryCode) {
  std::set<std::string> produced = CodesOfGoldens();
  ASSERT_GT(produced.size(), 50u);
  produced.merge(CodesOfTables());
  std::vector<std::string> missing;
  for (const CatalogueEntry& entry : Catalogue()) {
    if (!produced.contains(std::string(entry.name))) {
      missing.emplace_back(entry.name);
    }
  }
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
