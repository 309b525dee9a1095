// Clips with the same skeleton, one after another, share the data derived from
// it, and each gives the result that it gives alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "tests/support/converted.h"

namespace bvhmill::testing {
namespace {

// The arm has positions, so that it matters how they are read.
std::string Text(std::string_view arm, std::string_view offset,
                 std::string_view row) {
  return "HIERARCHY\nROOT Trunk\n{\nOFFSET 1 2 3\nCHANNELS 6 Xposition "
         "Yposition Zposition Zrotation Xrotation Yrotation\nJOINT " +
         std::string(arm) + "\n{\nOFFSET " + std::string(offset) +
         "\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
         "Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\n"
         "Frame Time: 0.01\n" +
         std::string(row) + "\n";
}

struct Take {
  const char* name;
  std::string text;
  ConvertOptions options;
};

ConvertOptions Plain() {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}, {"", CsvFormat{}}};
  return options;
}

template <typename Change>
ConvertOptions PlainWith(const Change& change) {
  ConvertOptions options = Plain();
  change(&options);
  return options;
}

std::vector<Take> Takes() {
  constexpr std::string_view kRow = "1 2 3 40 50 60 7 8 9 10 20 30";
  const std::string arm = Text("Limb", "0 5 0", kRow);
  return {
      {"Plain", arm, Plain()},
      {"OtherRow", Text("Limb", "0 5 0", "0 0 0 1 2 3 0 0 0 4 5 6"), Plain()},
      {"BrokenRow", Text("Limb", "0 5 0", "1 2 x"), Plain()},
      {"Added", arm, PlainWith([](auto* options) {
         options->conventions.joint_positions = JointPositions::kAddToOffset;
       })},
      {"Renamed", arm, PlainWith([](auto* options) {
         options->edits.rename = {{"Limb", "mChest"}};
       })},
      {"Dropped", arm,
       PlainWith([](auto* options) { options->edits.keep = {"Trunk"}; })},
      {"Misfit", arm,
       PlainWith([](auto* options) { options->edits.keep = {"Nobody"}; })},
      {"Checked", arm,
       PlainWith([](auto* options) { options->checks_only = true; })},
      {"Whole", arm, PlainWith([](auto* options) {
         options->outputs = {
             {"", PositionsFormat{TensorLayout::kJointMajor, true}}};
       })},
      {"OtherOffset", Text("Limb", "0 -5 0", kRow), Plain()},
      {"SameName", Text("Trunk", "0 5 0", kRow), Plain()},
      {"NoLength", Text("Limb", "0 0 0", kRow), Plain()},
  };
}

void ExpectSameOutputs(const Converted& got, const Converted& expected) {
  EXPECT_EQ(got.result.status, expected.result.status);
  EXPECT_EQ(ReportJson("", got.result.report, got.result.info),
            ReportJson("", expected.result.report, expected.result.info));
  if (!expected.result.status.ok()) return;
  EXPECT_EQ(got.outputs, expected.outputs);
}

TEST(CompiledSkeletonTest, TakesInAnyOrderAreWhatEachIsByItself) {
  const std::vector<Take> takes = Takes();
  std::vector<Converted> expected;
  expected.reserve(takes.size());
  for (const Take& take : takes) {
    expected.push_back(ConvertWhole(take.text, take.options));
  }
  Converter converter;
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const size_t i = random() % takes.size();
    const Take& take = takes[i];
    SCOPED_TRACE(take.name);
    // Often enough to be known.
    for (size_t times = random() % 4; times > 0; --times) {
      ExpectSameOutputs(ConvertWhole(take.text, take.options, &converter),
                        expected[i]);
    }
    ExpectSameOutputs(ConvertPieces(take.text, take.options, 100, &converter),
                      expected[i]);
  }
}

TEST(CompiledSkeletonTest, JointsAreThoseOfTheTakeBefore) {
  const Take take = Takes().front();
  Converter converter;
  const auto joints = [&] {
    return ConvertWhole(take.text, take.options, &converter).result.info.joints;
  };
  // The first two make it known.
  joints();
  joints();
  const JointList known = joints();
  EXPECT_TRUE(joints().IsSharedWith(known));
  EXPECT_FALSE(ConvertWhole(take.text, take.options)
                   .result.info.joints.IsSharedWith(known));
}

// A long hierarchy is never met again, and its description may be large.
TEST(CompiledSkeletonTest, APoolKeepsNoSkeletonThatOnlyOneClipHas) {
  Take take = Takes().front();
  ConverterPool pool(Parallelism::None());
  const auto kept = [&] {
    {
      const ConverterPool::Lease lease(&pool);
      EXPECT_TRUE(
          ConvertWhole(take.text, take.options, &*lease).result.status.ok());
    }
    const ConverterPool::Lease lease(&pool);
    const CompiledSkeleton* last = lease->state()->workspace->compiler.last();
    return last == nullptr ? 0 : last->info.joints.size();
  };
  kept();
  kept();
  EXPECT_EQ(kept(), 3U);
  const std::string blanks(static_cast<size_t>(kMaxCachedBytes), ' ');
  take.text = blanks + take.text;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kept(), 0U);
}

}  // namespace
}  // namespace bvhmill::testing
