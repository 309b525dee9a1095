// The profile `viewer` gives the bytes that viewer_oracle.py works out.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/bvh/reader.h"
#include "tests/anim/anim_support.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Row = std::map<std::string, std::string>;

std::string DataFile(const std::string& name) {
  return ReadFile(TestData("viewer/" + name));
}

std::vector<Row> Rows() {
  const std::vector<Row> rows = ReadTsv(TestData("viewer/EXPECTED.tsv"));
  EXPECT_EQ(rows.size(), FilesIn(TestData("viewer"), ".bvh").size());
  EXPECT_GT(rows.size(), 90);
  return rows;
}

// Files for the viewer's own way of reading alone. ReadBvh repairs or refuses
// some of them.
bool IsOddText(const Row& row) { return row.at("file").starts_with("text_"); }

void ExpectBytes(const AnimMotion& motion, const std::string& expected) {
  const bool same = BytesOf(motion) == expected;
  EXPECT_TRUE(same);
  // Says where they differ.
  if (!same) ExpectSameMotion(motion, MotionOf(expected));
}

TEST(ViewerOracle, TextsGetTheStatusOfTheOracle) {
  for (const Row& row : Rows()) {
    const ViewerText text = LoadViewerText(DataFile(row.at("file") + ".bvh"));
    EXPECT_EQ(ViewerStatusName(text.status), row.at("status"))
        << row.at("file");
  }
}

TEST(ViewerOracle, TextsGiveTheBytesOfTheOracle) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.at("file"));
    const bool accepted = row.at("status") == "E_ST_OK";
    IssueLog log({});
    AnimMotion motion;
    ASSERT_EQ(
        ImportTextAsViewer(DataFile(row.at("file") + ".bvh"), &motion, &log),
        accepted);
    if (!accepted) continue;
    ExpectBytes(motion, DataFile(row.at("file") + ".anim"));
  }
}

TEST(ViewerOracle, ClipsGiveTheBytesOfTheOracle) {
  int compared = 0;
  for (const Row& row : Rows()) {
    if (IsOddText(row)) continue;
    SCOPED_TRACE(row.at("file"));
    IssueLog log({});
    const ReadResult read =
        ReadBvh(DataFile(row.at("file") + ".bvh"), {}, &log);
    ASSERT_TRUE(read.motion_read);
    AnimMotion motion;
    ASSERT_TRUE(ImportAsViewer(read.clip, &motion, &log).ok());
    ExpectBytes(motion, DataFile(row.at("file") + ".anim"));
    ++compared;
  }
  EXPECT_GE(compared, 27);
}

}  // namespace
}  // namespace bvhmill::testing
