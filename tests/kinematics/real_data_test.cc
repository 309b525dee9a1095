// Real files of many tools: what is accepted, what is in them, and where every
// joint is in every frame.

#include <gtest/gtest.h>

#include <bit>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/kinematics/compare.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Row = std::map<std::string, std::string>;

class RealDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RealData().empty()) {
      GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
    }
    rows_ = ReadTsv(RealData() + "/bvh/MANIFEST.tsv");
    ASSERT_FALSE(rows_.empty());
  }

  static std::string TextOf(const Row& row) {
    return ReadFile(RealData() + "/bvh/" + row.at("file"));
  }

  std::vector<Row> rows_;
};

// "reject:CODE@line:col"
std::string PlaceOf(const std::string& expectation) {
  return expectation.substr(expectation.find('@') + 1);
}

std::string FirstErrorPlace(const Report& report) {
  const Issue* error = FirstError(report);
  if (error == nullptr) return "nowhere";
  return std::to_string(error->location.line.value_or(0)) + ":" +
         std::to_string(error->location.column.value_or(0));
}

std::string Describe(const Report& report) {
  std::string out;
  for (const Issue& issue : report.issues) out += RenderIssue(issue) + "\n";
  return out;
}

TEST_F(RealDataTest, FilesAreJudgedAsTheManifestSays) {
  for (const Row& row : rows_) {
    SCOPED_TRACE(row.at("file"));
    const ConvertResult result = Convert(TextOf(row), {}, nullptr, nullptr);
    const std::string& expectation = row.at("expectation");
    if (expectation.starts_with("reject")) {
      EXPECT_FALSE(IsGood(result.report.verdict));
      EXPECT_EQ(FirstErrorPlace(result.report), PlaceOf(expectation))
          << Describe(result.report);
      continue;
    }
    EXPECT_TRUE(IsGood(result.report.verdict)) << Describe(result.report);
    if (expectation.starts_with("warn")) {
      EXPECT_EQ(result.report.verdict, Verdict::kAccepted);
    } else {
      EXPECT_EQ(expectation, "accept");
    }
    EXPECT_EQ(std::to_string(result.info.joint_count), row.at("joints"));
    EXPECT_EQ(std::to_string(result.info.frames), row.at("frames"));
  }
}

void ExpectSameSkeleton(const Skeleton& skeleton, const OracleClip& oracle) {
  const OracleClip read = OracleOf({skeleton, {}});
  ASSERT_EQ(read.nodes.size(), oracle.nodes.size());
  for (size_t i = 0; i < read.nodes.size(); ++i) {
    EXPECT_EQ(read.nodes[i].parent, oracle.nodes[i].parent) << i;
    EXPECT_EQ(read.nodes[i].end_site, oracle.nodes[i].end_site) << i;
    EXPECT_EQ(read.nodes[i].offset, oracle.nodes[i].offset) << i;
    EXPECT_EQ(read.nodes[i].channels, oracle.nodes[i].channels) << i;
    if (read.nodes[i].channels.empty()) continue;
    EXPECT_EQ(read.nodes[i].first_column, oracle.nodes[i].first_column) << i;
  }
}

void ExpectSameValues(const Motion& motion, const OracleClip& oracle) {
  ASSERT_EQ(motion.frames, oracle.frames);
  ASSERT_EQ(motion.values.size(), oracle.values.size());
  for (size_t i = 0; i < oracle.values.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(motion.values[i]),
              std::bit_cast<uint32_t>(oracle.values[i]))
        << "value " << i;
  }
}

TEST_F(RealDataTest, EveryJointOfEveryFrameIsWhereTheOracleHasIt) {
  for (const Row& row : rows_) {
    if (row.at("expectation") != "accept") continue;
    SCOPED_TRACE(row.at("file"));
    const std::string text = TextOf(row);
    const OracleClip oracle = ReadForOracle(text);
    IssueLog log({});
    const ReadResult result = ReadBvh(text, {}, &log);
    ASSERT_NO_FATAL_FAILURE(ExpectSameSkeleton(result.clip.skeleton, oracle));
    ASSERT_NO_FATAL_FAILURE(ExpectSameValues(result.clip.motion, oracle));
    ASSERT_NO_FATAL_FAILURE(
        ExpectAsOracle(Solve(result.clip, {}, true, Solver::kRun), oracle, {},
                       true, kFloatTolerance));
  }
}

}  // namespace
}  // namespace bvhmill::testing
