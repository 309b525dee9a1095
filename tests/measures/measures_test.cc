// The measures of clips: compared with a slow computation from the text, by
// 4x4 matrices in double precision, and the same for any way of the rows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/measures/measured.h"
#include "tests/measures/slow_measures.h"
#include "tests/samples/natural.h"
#include "tests/support/converted.h"
#include "tests/support/odd_clips.h"
#include "tests/support/oracle.h"

namespace bvhmill::testing {
namespace {

// --- Comparisons.

void ExpectRanges(const OracleClip& clip, const ClipMeasures& measures) {
  for (size_t i = 0; i < clip.nodes.size(); ++i) {
    const OracleNode& node = clip.nodes[i];
    const JointMeasures& joint = measures.joints[i];
    ASSERT_EQ(joint.least.size(), node.channels.size());
    ASSERT_EQ(joint.greatest.size(), node.channels.size());
    for (size_t k = 0; k < node.channels.size(); ++k) {
      std::vector<double> values;
      for (size_t frame = 0; frame < clip.frames; ++frame) {
        values.push_back(ValueOf(clip, frame, node.first_column + k));
      }
      EXPECT_EQ(joint.least[k],
                *std::min_element(values.begin(), values.end()));
      EXPECT_EQ(joint.greatest[k],
                *std::max_element(values.begin(), values.end()));
    }
  }
}

void ExpectSlow(const OracleClip& clip, double frame_time,
                const ClipMeasures& measures) {
  const SlowMeasures slow = MeasureSlowly(clip);
  ASSERT_TRUE(measures.extents && measures.root_path && measures.root_speed &&
              measures.fastest && measures.loop_degrees &&
              measures.loop_distance);
  const double size = Distance(slow.least, slow.greatest);
  // Positions are in single precision.
  const double rounding = 2e-6 * size;
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(measures.extents->least[axis], slow.least[axis], rounding);
    EXPECT_NEAR(measures.extents->greatest[axis], slow.greatest[axis],
                rounding);
  }
  const auto steps = static_cast<double>(clip.frames - 1);
  EXPECT_NEAR(*measures.root_path, slow.root_path, rounding * steps);
  EXPECT_NEAR(*measures.root_speed, slow.root_path / (steps * frame_time),
              rounding / frame_time);
  EXPECT_NEAR(measures.fastest->speed, slow.longest_step / frame_time,
              2 * rounding / frame_time);
  EXPECT_NEAR(*measures.loop_degrees, slow.loop_degrees, 1e-6);
  EXPECT_NEAR(*measures.loop_distance, slow.loop_distance, 2 * rounding);
  ASSERT_EQ(measures.joints.size(), slow.degrees.size());
  for (size_t i = 0; i < slow.degrees.size(); ++i) {
    EXPECT_NEAR(measures.joints[i].degrees, slow.degrees[i], 1e-6);
  }
  ExpectRanges(clip, measures);
}

// The fastest joint does step that far to that frame.
void ExpectFastest(const OracleClip& clip, double frame_time,
                   const ClipMeasures& measures) {
  const auto frame = static_cast<size_t>(measures.fastest->frame);
  const auto joint = static_cast<size_t>(measures.fastest->joint);
  ASSERT_GT(frame, 0u);
  const double step =
      Distance(PlaceIn(SolveOracle(clip, frame, {}), joint),
               PlaceIn(SolveOracle(clip, frame - 1, {}), joint));
  EXPECT_NEAR(step, measures.fastest->speed * frame_time, 1e-4 * step);
}

TEST(Measures, AreThoseOfASlowComputation) {
  for (const samples::Take& take : samples::NaturalTakes()) {
    SCOPED_TRACE(take.name);
    std::ostringstream text;
    samples::WriteBvh(take, text);
    const ConvertResult result =
        Convert(text.str(), Measured(), nullptr, nullptr);
    ASSERT_TRUE(result.status.ok());
    ASSERT_TRUE(result.measures.has_value());
    const OracleClip clip = ReadForOracle(text.str());
    const double frame_time = result.info.frame_time;
    EXPECT_EQ(result.measures->duration,
              frame_time * static_cast<double>(clip.frames));
    EXPECT_EQ(static_cast<size_t>(result.measures->channels), clip.columns);
    ExpectSlow(clip, frame_time, *result.measures);
    ExpectFastest(clip, frame_time, *result.measures);
  }
}

// A frame of zeros before or after a take is measured as if it were not there:
// frame 0 of many captures is a pose of reference.
void ExpectFrameApartIsLeftOut(bool is_first, std::string_view code) {
  const samples::Take take = samples::NaturalTakes().front();
  std::ostringstream text;
  samples::WriteBvh(take, text);
  Clip clip = ReadClip(text.str());
  const size_t width = clip.skeleton.channels.size();
  const auto alone = Convert(text.str(), Measured(), nullptr, nullptr).measures;
  auto& values = clip.motion.values;
  const std::vector<float> before(values.begin(), values.end());
  const std::vector<float> zeros(width);
  values.clear();
  if (is_first) values.append(zeros.begin(), zeros.end());
  values.append(before.begin(), before.end());
  if (!is_first) values.append(zeros.begin(), zeros.end());
  ++clip.motion.frames;
  const ConvertResult result =
      Convert(WrittenAsBvh(clip), Measured(), nullptr, nullptr);
  const auto& issues = result.report.issues;
  ASSERT_TRUE(std::any_of(issues.begin(), issues.end(),
                          [&](const Issue& one) { return one.code == code; }));
  ASSERT_TRUE(alone && result.measures);
  EXPECT_EQ(result.measures->root_path, alone->root_path);
  EXPECT_EQ(result.measures->root_speed, alone->root_speed);
  EXPECT_EQ(result.measures->fastest->speed, alone->fastest->speed);
  EXPECT_EQ(result.measures->fastest->joint, alone->fastest->joint);
  EXPECT_EQ(result.measures->fastest->frame,
            alone->fastest->frame + (is_first ? 1 : 0));
  EXPECT_EQ(result.measures->loop_degrees, alone->loop_degrees);
  EXPECT_EQ(result.measures->loop_distance, alone->loop_distance);
  for (size_t i = 0; i < alone->joints.size(); ++i) {
    EXPECT_EQ(result.measures->joints[i].degrees, alone->joints[i].degrees);
  }
}

TEST(Measures, LeaveOutAFirstFrameThatStandsApart) {
  ExpectFrameApartIsLeftOut(/*is_first=*/true, "DATA_FIRST_FRAME_APART");
}

TEST(Measures, LeaveOutALastFrameThatStandsApart) {
  ExpectFrameApartIsLeftOut(/*is_first=*/false, "DATA_LAST_FRAME_APART");
}

// --- Small clips whose measures are plain.

constexpr char kSmall[] =
    "HIERARCHY\n"
    "ROOT Hips\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT Arm\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 5 0 0\n}\n}\n}\n"
    "MOTION\nFrames: 4\nFrame Time: 0.5\n"
    "0 0 0 0 0 0  0 0 0\n"
    "3 4 0 0 0 0  90 0 0\n"
    "3 4 0 0 0 0  350 0 0\n"
    "0 0 0 0 0 0  5 0 0\n";

TEST(Measures, OfASmallClip) {
  const auto measures = Convert(kSmall, Measured(), nullptr, nullptr).measures;
  ASSERT_TRUE(measures.has_value());
  EXPECT_EQ(measures->duration, 2);
  EXPECT_EQ(measures->depth, 2);
  EXPECT_EQ(measures->channels, 9);
  EXPECT_EQ(measures->reach, 15);
  EXPECT_EQ(measures->rest_pose, RestPoseKind::kUnknown);
  EXPECT_THAT(measures->rest_size, ::testing::ElementsAre(5, 10, 0));
  EXPECT_FALSE(measures->height.has_value());
  // To 3, 4 and back, in one and a half seconds.
  EXPECT_DOUBLE_EQ(measures->root_path.value(), 10);
  EXPECT_DOUBLE_EQ(measures->root_speed.value(), 10 / 1.5);
  EXPECT_DOUBLE_EQ(measures->fastest.value().speed, 10);
  EXPECT_EQ(measures->fastest->joint, 0);
  EXPECT_EQ(measures->fastest->frame, 1);
  EXPECT_NEAR(measures->loop_degrees.value(), 5, 1e-9);
  EXPECT_EQ(measures->loop_distance, 0);
  ASSERT_EQ(measures->joints.size(), 3u);
  EXPECT_THAT(measures->joints[1].least, ::testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(measures->joints[1].greatest, ::testing::ElementsAre(350, 0, 0));
  // 350 degrees are 10 the other way.
  EXPECT_NEAR(measures->joints[1].degrees, 90, 1e-9);
  EXPECT_THAT(measures->joints[2].least, ::testing::IsEmpty());
}

// Steps from and to such a frame are not known; the others are measured.
TEST(Measures, LeaveOutValuesThatAreNotFinite) {
  std::string text = kSmall;
  text.replace(text.find("3 4 0 0 0 0  350"), 16, "nan 4 0 0 0 0  nan");
  const auto measures = Convert(text, Measured(), nullptr, nullptr).measures;
  ASSERT_TRUE(measures.has_value());
  // The step to frame 1.
  EXPECT_DOUBLE_EQ(measures->root_path.value(), 5);
  EXPECT_DOUBLE_EQ(measures->fastest.value().speed, 10);
  EXPECT_EQ(measures->fastest->frame, 1);
  EXPECT_THAT(measures->joints[1].greatest, ::testing::ElementsAre(90, 0, 0));
  EXPECT_NEAR(measures->joints[1].degrees, 90, 1e-9);
}

TEST(Measures, TheWayOfARootIsUnknownIfNoStepOfItIsKnown) {
  std::string text = kSmall;
  const size_t rows = text.find("Frame Time");
  for (const char* place : {"\n0 0 0", "\n3 4 0"}) {
    for (size_t at = text.find(place, rows); at != std::string::npos;
         at = text.find(place, at + 1)) {
      text.replace(at, 6, "\nnan 0 0");
    }
  }
  const auto measures = Convert(text, Measured(), nullptr, nullptr).measures;
  ASSERT_TRUE(measures.has_value());
  EXPECT_FALSE(measures->root_path.has_value());
  EXPECT_FALSE(measures->root_speed.has_value());
}

TEST(Measures, AreMadeOnlyIfAskedForAndOnlyOfClipsThatAreGood) {
  EXPECT_FALSE(Convert(kSmall, {}, nullptr, nullptr).measures.has_value());
  std::string broken = kSmall;
  broken.replace(broken.find("350"), 3, "3x0");
  const ConvertResult refused = Convert(broken, Measured(), nullptr, nullptr);
  EXPECT_FALSE(refused.status.ok());
  EXPECT_FALSE(refused.measures.has_value());
  // The memory of a result that was used before.
  Converter converter;
  ConvertResult result;
  converter.ConvertInto(kSmall, Measured(), nullptr, nullptr, &result);
  EXPECT_TRUE(result.measures.has_value());
  converter.ConvertInto(kSmall, {}, nullptr, nullptr, &result);
  EXPECT_FALSE(result.measures.has_value());
}

// Many end sites make a row of two bytes expensive.
// A container that sways, and hips that walk. No name is known.
TEST(Measures, AreThoseOfTheStatedBodyRoot) {
  const std::string text = R"(HIERARCHY
ROOT Box
{
  OFFSET 0 0 0
  CHANNELS 3 Xposition Yposition Zposition
  JOINT Body
  {
    OFFSET 0 1 0
    CHANNELS 3 Xposition Yposition Zposition
    JOINT A
    {
      OFFSET 1 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 1 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
1 0 0 10 0 0 0 0 0
0 0 0 20 0 0 0 0 0
)";
  struct Case {
    const char* stated;
    int32_t root;
    double path;
  };
  for (const Case& c : {Case{"", 0, 2}, Case{"Box", 0, 2}, Case{"Body", 1, 20},
                        Case{"A", 0, 2}, Case{"None", 0, 2}}) {
    ConvertOptions options = Measured();
    options.edits.body_root = c.stated;
    const Converted converted = ConvertWhole(text, options);
    ASSERT_TRUE(converted.result.measures) << c.stated;
    EXPECT_EQ(converted.result.measures->body_root, c.root) << c.stated;
    EXPECT_EQ(converted.result.measures->root_path, c.path) << c.stated;
  }
}

TEST(Measures, DrawTheirWork) {
  std::string text =
      "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 2000; ++i) text += "End Site\n{\nOFFSET 0 1 0\n}\n";
  text += "}\nMOTION\nFrames: 50000\nFrame Time: 0.1\n";
  for (int i = 0; i < 50'000; ++i) text += "1\n";
  ConvertOptions options = Measured();
  options.report.severities.clear();
  options.limits.max_clip_work_per_byte = 100;
  options.limits.max_clip_work = 100'000'000;
  EXPECT_TRUE(absl::IsResourceExhausted(
      Convert(text, options, nullptr, nullptr).status));
  options.measures = false;
  EXPECT_TRUE(Convert(text, options, nullptr, nullptr).status.ok());
}

// --- Ways of the rows.

std::string MeasuresOf(const Converted& converted) {
  const auto& measures = converted.result.measures;
  return measures ? MeasuresJson(*measures) : "none";
}

// As a whole, by tiles of several threads, and in pieces of any size.
TEST(Measures, DoNotDependOnTheWayOfTheRows) {
  std::vector<OddClip> clips = OddClips();
  for (const samples::Take& take : samples::NaturalTakes()) {
    std::ostringstream text;
    samples::WriteBvh(take, text);
    clips.push_back({take.name, text.str()});
  }
  ConvertOptions tiles = Measured();
  tiles.outputs = {{"", PositionsFormat{}}};
  Converter alone(Parallelism::None());
  Converter threads(Parallelism::Threads(4));
  int measured = 0;
  for (const OddClip& clip : clips) {
    SCOPED_TRACE(clip.name);
    const std::string expected =
        MeasuresOf(ConvertWhole(clip.text, Measured(), &alone));
    measured += expected == "none" ? 0 : 1;
    const auto expect = [&](const Converted& converted) {
      EXPECT_EQ(MeasuresOf(converted), expected);
    };
    expect(ConvertWhole(clip.text, Measured(), &threads));
    expect(ConvertWhole(clip.text, tiles, &threads));
    for (const size_t size : {size_t{7}, size_t{997}, size_t{65'536}}) {
      if (clip.text.size() / size > 20'000) continue;
      expect(ConvertPieces(clip.text, Measured(), size, &alone));
    }
    expect(ConvertPieces(clip.text, tiles, 997, &alone));
  }
  EXPECT_GT(measured, 50);
}

}  // namespace
}  // namespace bvhmill::testing
