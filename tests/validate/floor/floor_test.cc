// The figures of the floor rules against those of a simple twin, and the pairs
// of frames of long clips.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/validate/floor/floor_measure.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/faults/corpus.h"
#include "tests/support/clips.h"
#include "tests/validate/checked_parts.h"
#include "tests/validate/floor/floor_clips.h"
#include "tests/validate/floor/floor_twin.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The name of each node of each foot.
std::vector<std::vector<std::string>> FootNames(const Skeleton& skeleton) {
  const Landmarks landmarks = FindLandmarks(skeleton);
  std::vector<std::vector<std::string>> names;
  for (const auto& foot : landmarks.feet) {
    names.emplace_back();
    for (const int32_t i : foot) {
      const int32_t node = landmarks.nodes[static_cast<size_t>(i)];
      names.back().push_back(DisplayName(skeleton, node));
    }
  }
  return names;
}

TEST(Landmarks, AreFoundByNames) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int shin = builder.Joint(hips, "lShin", "zxy");
  const int foot = builder.Joint(shin, "lFoot", "zxy");
  builder.EndSite(builder.Joint(foot, "lToe", "zxy"));
  const int right = builder.Joint(hips, "R_ANKLE", "zxy");
  builder.EndSite(right);
  const int neck = builder.Joint(hips, "Neck", "zxy");
  builder.EndSite(builder.Joint(neck, "mixamorig:Head", "zxy"));
  const Skeleton skeleton = builder.Build();
  EXPECT_THAT(FootNames(skeleton),
              ElementsAre(ElementsAre("lFoot", "lToe", "lToe_End"),
                          ElementsAre("R_ANKLE", "R_ANKLE_End")));
  const Landmarks landmarks = FindLandmarks(skeleton);
  const int32_t head = landmarks.nodes[static_cast<size_t>(landmarks.head)];
  EXPECT_EQ(skeleton.nodes[static_cast<size_t>(head)].name, "mixamorig:Head");
}

TEST(Landmarks, AreNotFoundInANamespace) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Bigfoot:Hips", "XYZzxy");
  builder.Joint(hips, "Bigfoot:Spine", "zxy");
  EXPECT_THAT(FindLandmarks(builder.Build()).nodes, IsEmpty());
  const int leg = builder.Joint(hips, "Bigfoot:Leg", "zxy");
  const int foot = builder.Joint(leg, "Bigfoot:LeftFoot", "zxy");
  const int head = builder.Joint(hips, "Redhead:Neck", "zxy");
  EXPECT_EQ(FindLandmarks(builder.Build()).head, -1);
  builder.Joint(head, "Redhead:Head", "zxy");
  const Landmarks landmarks = FindLandmarks(builder.Build());
  ASSERT_EQ(landmarks.feet.size(), 1);
  const auto at = static_cast<size_t>(landmarks.feet[0].at(0));
  EXPECT_EQ(landmarks.nodes[at], foot);
  EXPECT_EQ(landmarks.nodes.back(), head + 1);
}

TEST(Landmarks, AreThoseOfTheFirstFigure) {
  SkeletonBuilder builder;
  builder.Root("Camera", "XYZzxy");
  const int first = builder.Root("A", "XYZzxy");
  builder.Joint(first, "Foot", "zxy");
  const int second = builder.Root("B", "XYZzxy");
  builder.Joint(second, "Foot", "zxy");
  builder.Joint(second, "Head", "zxy");
  EXPECT_THAT(FootNames(builder.Build()), ElementsAre(ElementsAre("Foot")));
  EXPECT_EQ(FindLandmarks(builder.Build()).head, -1);
}

TEST(Landmarks, AreAtMostTwoFeetOfFourNodes) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  for (const std::string name : {"A", "B", "C"}) {
    int at = builder.Joint(hips, name + "Foot", "zxy");
    for (const char* more : {"1", "2", "3", "4"}) {
      at = builder.Joint(at, name + more, "zxy");
    }
  }
  EXPECT_THAT(FootNames(builder.Build()),
              ElementsAre(ElementsAre("AFoot", "A1", "A2", "A3"),
                          ElementsAre("BFoot", "B1", "B2", "B3")));
}

// A long way to the feet, of nodes without channels, would cost more than
// reading the rows.
TEST(Landmarks, AreNotSoughtFarBelowFewChannels) {
  SkeletonBuilder builder;
  int at = builder.Root("Hips", "XYZzxy");
  for (int i = 0; i < 4; ++i) at = builder.Joint(at, "Bone", "");
  builder.Joint(at, "Foot", "");
  EXPECT_EQ(FindLandmarks(builder.Build()).nodes.size(), 6u);
  builder.Joint(builder.Joint(at, "Bone", ""), "Foot", "");
  EXPECT_THAT(FindLandmarks(builder.Build()).nodes, IsEmpty());
}

TEST(Landmarks, AreSolvedAsInTheWholeSkeleton) {
  for (const faults::CleanClip& clip : faults::GeneratedClips()) {
    Clip part = clip.clip;
    const Landmarks landmarks = FindLandmarks(clip.clip.skeleton);
    ASSERT_FALSE(landmarks.nodes.empty()) << clip.name;
    part.skeleton = LandmarkSkeleton(clip.clip.skeleton, landmarks);
    std::vector<int32_t> all;
    for (size_t i = 0; i < part.skeleton.nodes.size(); ++i) {
      all.push_back(static_cast<int32_t>(i));
    }
    EXPECT_EQ(PositionsOf(part, all), PositionsOf(clip.clip, landmarks.nodes))
        << clip.name;
  }
}

TEST(Landmarks, AreJudgedAtAboutThirtyFramesASecond) {
  const struct {
    double frame_time;
    int64_t step;
  } kCases[] = {
      {1.0 / 10, 1},
      {1.0 / 24, 1},
      {1001.0 / 30000, 1},
      {0.0333333, 1},
      {0.033, 1},
      {1.0 / 50, 1},
      {0.017, 1},
      {1001.0 / 60000, 2},
      {1.0 / 60, 2},
      {0.0167, 2},
      {0.016667, 2},
      {0.016, 2},
      {1.0 / 72, 2},
      {1.0 / 90, 3},
      {0.01, 3},
      {1001.0 / 120000, 4},
      {0.00833333, 4},
      {0.008333, 4},
      {0.0083, 4},
      {0.0084, 4},
      {1.0 / 150, 5},
      {1.0 / 240, 5},
      {1.0 / 1000, 5},
      {1e-300, 5},
      // The one of clips that state none.
      {MotionFrameTime(0), 1},
      {MotionFrameTime(0.5), 1},
  };
  for (const auto& [frame_time, step] : kCases) {
    EXPECT_EQ(LandmarkStep(frame_time), step) << frame_time;
  }
}

// The ROOT is the body root.
constexpr int32_t kTrunk[] = {0};

// The frame time of clips whose every `step`th frame is judged.
double FrameTimeOf(int64_t step) {
  return 1.0 / 30 / static_cast<double>(step);
}

CheckedParts PartsOf(const Clip& clip, int64_t step) {
  CheckedParts parts(clip);
  parts.motion.dt = FrameTimeOf(step);
  parts.landmarks = LandmarksOf(clip, parts.facts.landmarks.nodes, step);
  return parts;
}

bool AreNear(double a, double b, double bound) {
  return std::fabs(a - b) <= bound;
}

// Clips of at most 512 judged frames, of which every pair of frames is kept.
void ExpectSameFigures(Clip clip, int direction, int64_t step) {
  clip.motion.frame_time = FrameTimeOf(step);
  CheckedParts parts = PartsOf(clip, step);
  const CheckedClip checked = parts.checked();
  FloorMeasure measure(checked, kTrunk, 0);
  ASSERT_TRUE(measure.is_finite());
  measure.SetUp(direction);
  const double floor = measure.HeightOf(0.1);
  const FloorFigures twin = FloorOf(clip, direction, floor + 0.02, 0.15, step);
  EXPECT_TRUE(AreNear(parts.facts.reach, twin.reach, 1e-6 * twin.reach));
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(AreNear(measure.Up()[axis], twin.up[axis], 1e-4));
  }
  // Between the two heights next to the tenth part, which may be far apart.
  EXPECT_TRUE(floor >= twin.before_floor - HeightBins::kWidth);
  EXPECT_TRUE(floor <= twin.floor + HeightBins::kWidth);
  const LowestFoot lowest = measure.Lowest();
  EXPECT_TRUE(AreNear(lowest.height, twin.lowest, 1e-5));
  EXPECT_EQ(lowest.frame % step, 0);
  EXPECT_TRUE(AreNear(twin.low[static_cast<size_t>(lowest.frame / step)],
                      twin.lowest, 1e-5));
  const auto heights = measure.PartHeights();
  ASSERT_TRUE(heights.has_value());
  for (size_t part = 0; part < 5; ++part) {
    EXPECT_TRUE(AreNear((*heights)[part], twin.parts[part], 1e-5)) << part;
  }
  const FootSlide slide = measure.Slide(floor + 0.02, 0.15);
  EXPECT_TRUE(AreNear(slide.contact, twin.contact, 0.005)) << slide.contact;
  EXPECT_TRUE(AreNear(slide.median, twin.median, 0.005)) << slide.median;
  EXPECT_EQ(slide.root_is_still, twin.root_is_still);
  // A root that hardly moves divides by hardly anything.
  if (!twin.root_is_still) {
    EXPECT_TRUE(AreNear(slide.gain, twin.gain, 0.02)) << slide.gain;
    EXPECT_TRUE(AreNear(slide.correlation, twin.correlation, 0.02));
  }
  const RootRise rise = measure.Rise();
  EXPECT_TRUE(AreNear(rise.legs, twin.legs, 1e-5)) << rise.legs;
  if (twin.legs < 1e-3) return;
  EXPECT_TRUE(AreNear(rise.gain, twin.rise_gain, 1e-3)) << rise.gain;
  EXPECT_TRUE(AreNear(rise.correlation, twin.rise_correlation, 1e-3));
}

TEST(FloorMeasure, IsThatOfTheTwinInCleanClips) {
  int compared = 0;
  for (const faults::CleanClip& clip : faults::GeneratedClips()) {
    for (const int64_t step : {1, 2, 4}) {
      if (clip.clip.motion.frames > step * FloorMeasure::kMostPairs) continue;
      SCOPED_TRACE(clip.name + " " + std::to_string(step));
      ExpectSameFigures(clip.clip, kPlusY, step);
      ++compared;
    }
  }
  EXPECT_GT(compared, 15);
}

// Other directions are those of clips that were turned.
TEST(FloorMeasure, IsThatOfTheTwinInClipsWithFaults) {
  const faults::CleanClip clean = faults::GeneratedClips()[0];
  for (const faults::FaultKind& kind : faults::FloorFaults()) {
    Clip clip = clean.clip;
    faults::Site site;
    site.clip = &clip;
    if (!kind.inject(&site)) continue;
    for (int direction = 0; direction < 6; ++direction) {
      SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(direction));
      ExpectSameFigures(clip, direction, 1 + direction % 3);
    }
  }
}

TEST(FloorMeasure, KnowsHeightsBeyondItsBins) {
  for (const float shift : {-9000.0F, 9000.0F}) {
    Clip clip = faults::GeneratedClips()[0].clip;
    const Skeleton& skeleton = clip.skeleton;
    const size_t width = skeleton.channels.size();
    const auto channels = ChannelsOf(skeleton, skeleton.nodes[0]);
    const auto up =
        std::find(channels.begin(), channels.end(), Channel::kYPosition);
    ASSERT_NE(up, channels.end());
    for (size_t at = static_cast<size_t>(up - channels.begin());
         at < clip.motion.values.size(); at += width) {
      clip.motion.values[at] += shift;
    }
    CheckedParts parts = PartsOf(clip, 1);
    const CheckedClip checked = parts.checked();
    FloorMeasure measure(checked, kTrunk, 0);
    measure.SetUp(kPlusY);
    const FloorFigures twin = FloorOf(clip, kPlusY, 0, 0.15);
    EXPECT_GT(std::fabs(twin.floor), 10);
    EXPECT_NEAR(measure.HeightOf(0.1), twin.floor, 0.02);
  }
}

// The last frame may be one that is not judged.
TEST(FloorMeasure, LeavesOutFramesThatStandApart) {
  const Clip clip = faults::GeneratedClips()[0].clip;
  const int64_t frames = clip.motion.frames;
  for (const int64_t step : {1, 2, 3, 4, 5}) {
    CheckedParts parts = PartsOf(clip, step);
    for (const bool first : {false, true}) {
      for (const bool last : {false, true}) {
        parts.motion.first_apart = first;
        parts.motion.last_apart = last;
        const CheckedClip checked = parts.checked();
        const FloorMeasure measure(checked, kTrunk, 0);
        EXPECT_EQ(measure.frames(), (frames - 1) / step + 1);
        EXPECT_EQ(measure.counted(),
                  (frames - (last ? 2 : 1)) / step + 1 - (first ? 1 : 0));
      }
    }
  }
}

TEST(HeightBins, HoldHeightsOfAnySize) {
  for (const float height : {-3.9F, -0.25F, 0.0F, 0.1F, 2.5F}) {
    EXPECT_NEAR(HeightBins::Middle(HeightBins::Of(height)), height,
                HeightBins::kWidth);
  }
  // Products that are too large for a float count, too.
  EXPECT_EQ(HeightBins::Of(HUGE_VALF), HeightBins::kCount - 1);
  EXPECT_EQ(HeightBins::Of(-HUGE_VALF), 0);
  EXPECT_TRUE(HeightBins::IsAtEnd(HeightBins::Middle(0)));
  EXPECT_FALSE(HeightBins::IsAtEnd(HeightBins::Middle(1)));
}

// Feet that step down at each frame: their steps are those of the pairs.
TEST(FloorMeasure, SpreadsPairsEvenlyOverClipsOfAnyLength) {
  for (const int64_t frames : {8, 511, 512, 513, 514, 1025, 1026, 9999}) {
    const Clip clip = FigureClip({0, 1, 0}, frames, 30, [](int64_t frame) {
      return Offset{0, 50 - 0.001F * static_cast<float>(frame), 0};
    });
    CheckedParts parts = PartsOf(clip, 1);
    const CheckedClip checked = parts.checked();
    FloorMeasure measure(checked, kTrunk, 0);
    measure.SetUp(kPlusY);
    const FootSteps feet = measure.StepsOn(0);
    int64_t stride = 1;
    while ((frames - 1) / stride > FloorMeasure::kMostPairs) stride *= 2;
    EXPECT_NEAR(feet.seconds * 30, static_cast<double>(stride), 1e-9);
    // Steps far apart say nothing.
    if (stride > 2) {
      EXPECT_TRUE(feet.steps.empty());
      continue;
    }
    ASSERT_EQ(feet.steps.size(), (frames - 1) / stride) << frames;
    EXPECT_EQ(feet.steps.front().frame, stride);
    EXPECT_EQ(feet.steps.back().frame, (frames - 1) / stride * stride);
  }
}

}  // namespace
}  // namespace bvhmill::testing
