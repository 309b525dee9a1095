// A report does not depend on the way of the rows: as a whole, by tiles of
// several threads, or in pieces of any size.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "tests/faults/corpus.h"
#include "tests/support/converted.h"

namespace bvhmill::faults {
namespace {

std::string ReportOf(const testing::Converted& converted) {
  return ReportJson("", converted.result.report, converted.result.info);
}

void ExpectOneReport(const std::string& text) {
  // Tiles need an output; a report alone is made of the whole matrix.
  ConvertOptions tiles;
  tiles.outputs = {{"", PositionsFormat{}}};
  Converter alone(Parallelism::None());
  Converter threads(Parallelism::Threads(4));
  const std::string expected =
      ReportOf(testing::ConvertWhole(text, {}, &alone));
  EXPECT_EQ(ReportOf(testing::ConvertWhole(text, tiles, &alone)), expected);
  EXPECT_EQ(ReportOf(testing::ConvertWhole(text, {}, &threads)), expected);
  EXPECT_EQ(ReportOf(testing::ConvertWhole(text, tiles, &threads)), expected);
  for (const size_t size : {997, 65'536}) {
    EXPECT_EQ(ReportOf(testing::ConvertPieces(text, {}, size, &alone)),
              expected);
    EXPECT_EQ(ReportOf(testing::ConvertPieces(text, tiles, size, &alone)),
              expected);
  }
}

TEST(Ways, GiveOneReportOfEachFault) {
  const std::vector<FaultyFile> files = MakeFaultyFiles(GeneratedClips(), 1);
  ASSERT_GT(files.size(), 60u);
  for (const FaultyFile& file : files) {
    SCOPED_TRACE(file.name);
    ExpectOneReport(file.text);
  }
}

}  // namespace
}  // namespace bvhmill::faults
