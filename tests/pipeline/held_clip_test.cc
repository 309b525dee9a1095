// A clip is the same if it is read as a whole, by several threads, or in
// pieces. Outputs and reports are equal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/bvh/writer.h"
#include "bvhmill/encode/report_json.h"
#include "tests/pipeline/clip_text.h"
#include "tests/support/clips.h"
#include "tests/support/converted.h"
#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {
namespace {

void ExpectSameResults(const Converted& got, const Converted& expected) {
  const ConvertResult& a = got.result;
  const ConvertResult& b = expected.result;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(ReportJson("", a.report, a.info), ReportJson("", b.report, b.info));
  if (b.status.ok()) {
    EXPECT_TRUE(got.outputs == expected.outputs);
  }
}

struct HeldCase {
  const char* name;
  std::vector<OutputRequest> outputs;
  void (*edit)(ClipEdits*) = nullptr;
};

void PrintTo(const HeldCase& c, std::ostream* out) { *out << c.name; }

std::vector<HeldCase> HeldCases() {
  const std::vector<OutputRequest> tiles = {
      {"p", PositionsFormat{.with_end_sites = true}}, {"r", RotationsFormat{}}};
  const std::vector<OutputRequest> neighbours = {{"p", PositionsFormat{}},
                                                 {"v", VelocitiesFormat{}}};
  const std::vector<OutputRequest> whole = {
      {"j", PositionsFormat{TensorLayout::kJointMajor, true}},
      {"b", BvhFormat{}}};
  const auto slower = [](ClipEdits* edits) { edits->fps = 37; };
  const auto drop = [](ClipEdits* edits) { edits->drop = {"J1"}; };
  const auto misfit = [](ClipEdits* edits) { edits->drop = {"None"}; };
  return {{"no outputs", {}},
          {"no outputs, resampled", {}, slower},
          {"tiles", tiles},
          {"tiles, resampled", tiles, slower},
          {"tiles, joints dropped", tiles, drop},
          {"tiles, edits that do not fit", tiles, misfit},
          {"neighbours", neighbours},
          {"neighbours, resampled", neighbours, slower},
          {"whole arrays", whole},
          {"whole arrays, joints dropped", whole, drop}};
}

// By threads, and with every cut into pieces.
void ExpectOneWay(const std::string& text, const ConvertOptions& options) {
  Converter one(Parallelism::None());
  const Converted alone = ConvertWhole(text, options, &one);
  for (const int threads : {2, 5}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    Converter converter(Parallelism::Threads(threads));
    ExpectSameResults(ConvertWhole(text, options, &converter), alone);
  }
  for (const size_t size : {1, 7, 100, 4096, 1 << 20}) {
    if (size < 100 && text.size() > 20'000) continue;
    SCOPED_TRACE("pieces of " + std::to_string(size));
    ExpectSameResults(ConvertPieces(text, options, size, &one), alone);
  }
}

class HeldClipTest : public ::testing::TestWithParam<HeldCase> {
 protected:
  HeldClipTest() {
    options_.outputs = GetParam().outputs;
    if (GetParam().edit != nullptr) GetParam().edit(&options_.edits);
  }

  ConvertOptions options_;
};

INSTANTIATE_TEST_SUITE_P(HeldClip, HeldClipTest,
                         ::testing::ValuesIn(HeldCases()));

TEST_P(HeldClipTest, ShortClips) { ExpectOneWay(ChainText(4, 25), options_); }

// Some tiles for each thread.
TEST_P(HeldClipTest, LongClips) {
  ExpectOneWay(ChainText(4, 30'000), options_);
}

TEST_P(HeldClipTest, ClipsWithFaultsOfTheMotion) {
  Clip clip = MovingClip({.frames = 900, .joints = 4});
  AddTo(2, 1, 40, 350, 350, &clip);
  AddTo(3, 0, 60, 100, 105, &clip);
  AddTo(4, 0, 50, 222, 899, &clip);
  TakeRows(
      [](int64_t t) { return t < 600 ? t : std::max<int64_t>(600, t - 40); },
      &clip);
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
  const ConvertResult result = Convert(text, {}, nullptr, nullptr);
  for (const char* code : {"DATA_SPIKE", "DATA_JUMP", "DATA_FROZEN_FRAMES"}) {
    EXPECT_TRUE(Lists(result.report, code)) << code;
  }
  ExpectOneWay(text, options_);
}

// Rules whose issues are all ignored are left out; those of the skeleton stay.
TEST(HeldClip, RulesWithoutIssuesAreLeftOut) {
  Clip clip = MovingClip({.frames = 900, .joints = 4});
  AddTo(2, 1, 40, 350, 350, &clip);
  clip.skeleton.nodes[2].name = clip.skeleton.nodes[1].name;
  std::string text;
  StringSink sink(&text);
  ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
  const auto codes = [&](const std::vector<std::string>& ignored) {
    ConvertOptions options;
    options.report.ignore = ignored;
    std::vector<std::string> found;
    for (const Issue& issue :
         Convert(text, options, nullptr, nullptr).report.issues) {
      found.push_back(issue.code);
    }
    return found;
  };
  EXPECT_THAT(codes({}), ::testing::IsSupersetOf(
                             {"DATA_SPIKE", "SKELETON_DUPLICATE_NAME"}));
  EXPECT_THAT(codes({"DATA_*"}),
              ::testing::ElementsAre("SKELETON_DUPLICATE_NAME"));
}

TEST_P(HeldClipTest, ClipsWithAFault) {
  std::string text = ChainText(4, 3'000);
  text.insert(text.size() / 2, " fault ");
  ExpectOneWay(text, options_);
}

// The floor is judged in more frames than one thread solves, of which one
// stands far below the others.
TEST(HeldClip, LandmarksOfLongClipsAreThoseOfTheirFrames) {
  for (const auto& [rate, step] : {std::pair(30, 1), {100, 3}, {120, 4}}) {
    SCOPED_TRACE(rate);
    SkeletonBuilder builder;
    const int hips = builder.Root("Hips", "XYZzxy");
    builder.Joint(hips, "LeftFoot", "zxy", {0, -50, 0});
    builder.Joint(hips, "Head", "zxy", {0, 50, 0});
    Clip clip = CountingClip(builder.Build(), 40'000);
    clip.motion.frame_time = 1.0 / rate;
    // The hips sink for two seconds, in the last part of the landmarks.
    const int64_t first = 39'000 / step * step;
    const int64_t last = first + int64_t{2} * rate;
    for (int64_t t = 0; t < clip.motion.frames; ++t) {
      float* const row = &clip.motion.values[static_cast<size_t>(12 * t)];
      std::fill_n(row, 12, 0.0F);
      row[1] = t >= first && t < last ? 45.0F : 50.0F;
    }
    std::string text;
    StringSink sink(&text);
    ASSERT_TRUE(WriteBvh(clip, {}, &sink).ok());
    ConvertOptions options;
    options.outputs = {{"", PositionsFormat{}}};
    Converter one(Parallelism::None());
    const Converted alone = ConvertWhole(text, options, &one);
    const auto& issues = alone.result.report.issues;
    const auto below = std::find_if(
        issues.begin(), issues.end(),
        [](const Issue& issue) { return issue.code == "DATA_BELOW_FLOOR"; });
    ASSERT_NE(below, issues.end());
    EXPECT_GE(below->location.frame, first);
    EXPECT_LT(below->location.frame, last);
    Converter converter(Parallelism::Threads(5));
    ExpectSameResults(ConvertWhole(text, options, &converter), alone);
  }
}

}  // namespace
}  // namespace bvhmill::testing
