// The figures of the floor rules against those of a simple twin, and the
// samples that are kept of long clips.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/validate/floor/floor_measure.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/faults/corpus.h"
#include "tests/support/clips.h"
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

FloorMeasure MeasureOf(const Clip& clip, const SkeletonFacts& facts,
                       int64_t step) {
  FloorMeasure measure;
  measure.Begin(facts.landmarks, kTrunk, facts.reach, step);
  const size_t nodes = facts.landmarks.nodes.size();
  const std::vector<float> all = LandmarksOf(clip, facts.landmarks.nodes, step);
  const size_t frames = all.size() / 3 / nodes;
  // One frame, then two, three, ... at a time.
  size_t count = 1;
  for (size_t first = 0; first < frames; first += count++) {
    count = std::min(count, frames - first);
    measure.Add(static_cast<int64_t>(count),
                FramesOf(all, nodes, first, count));
  }
  measure.End(0, clip.motion.frames - 1, 0);
  return measure;
}

bool AreNear(double a, double b, double bound) {
  return std::fabs(a - b) <= bound;
}

// Clips of at most 512 judged frames, of which every pair of frames is kept.
void ExpectSameFigures(const Clip& clip, int direction, int64_t step) {
  SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  FloorMeasure measure = MeasureOf(clip, facts, step);
  ASSERT_TRUE(measure.is_finite());
  const double floor = measure.heights(direction).Quantile(0.1);
  const FloorFigures twin = FloorOf(clip, direction, floor + 0.02, 0.15, step);
  EXPECT_TRUE(AreNear(facts.reach, twin.reach, 1e-6 * twin.reach));
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(AreNear(measure.Up()[axis], twin.up[axis], 1e-4));
  }
  // Between the two heights next to the tenth part, which may be far apart. The
  // histogram has heights within kHighest.
  const auto within = [](double height) {
    return std::clamp(height, -HeightHistogram::kHighest,
                      HeightHistogram::kHighest);
  };
  EXPECT_TRUE(floor >= within(twin.before_floor) - HeightHistogram::kBinWidth);
  EXPECT_TRUE(floor <= within(twin.floor) + HeightHistogram::kBinWidth);
  const LowestFoot& lowest = measure.lowest(direction);
  EXPECT_TRUE(AreNear(lowest.height, twin.lowest, 1e-5));
  EXPECT_EQ(lowest.frame % step, 0);
  EXPECT_TRUE(AreNear(twin.low[static_cast<size_t>(lowest.frame / step)],
                      twin.lowest, 1e-5));
  const auto parts = measure.PartHeights(direction);
  ASSERT_TRUE(parts.has_value());
  for (size_t part = 0; part < 5; ++part) {
    EXPECT_TRUE(AreNear((*parts)[part], twin.parts[part], 1e-5)) << part;
  }
  const double dt = clip.motion.frame_time;
  const FootSlide slide = measure.Slide(direction, floor + 0.02, 0.15, dt);
  EXPECT_TRUE(AreNear(slide.contact, twin.contact, 0.005)) << slide.contact;
  EXPECT_TRUE(AreNear(slide.median, twin.median, 0.005)) << slide.median;
  EXPECT_EQ(slide.root_is_still, twin.root_is_still);
  // A root that hardly moves divides by hardly anything.
  if (!twin.root_is_still) {
    EXPECT_TRUE(AreNear(slide.gain, twin.gain, 0.02)) << slide.gain;
    EXPECT_TRUE(AreNear(slide.correlation, twin.correlation, 0.02));
  }
  const RootRise rise = measure.Rise(direction);
  EXPECT_TRUE(AreNear(rise.legs, twin.legs, 1e-5)) << rise.legs;
  if (twin.legs < 1e-3) return;
  EXPECT_TRUE(AreNear(rise.gain, twin.rise_gain, 1e-3)) << rise.gain;
  EXPECT_TRUE(AreNear(rise.correlation, twin.rise_correlation, 1e-3));
}

TEST(FloorMeasure, IsThatOfTheTwinInCleanClips) {
  int compared = 0;
  for (const faults::CleanClip& clip : faults::GeneratedClips()) {
    for (const int64_t step : {1, 2, 4}) {
      if (clip.clip.motion.frames > step * PairSamples::kMost) continue;
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
    for (int direction = 0; direction < kDirections; ++direction) {
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
    SkeletonFacts facts;
    FindFacts(skeleton, &facts);
    FloorMeasure measure = MeasureOf(clip, facts, 1);
    const FloorFigures twin = FloorOf(clip, kPlusY, 0, 0.15);
    EXPECT_GT(std::fabs(twin.floor), 10);
    EXPECT_NEAR(measure.HeightOf(kPlusY, 0.1), twin.floor, 0.02);
  }
}

// The first and the last frame wait until it is known whether they count. The
// last one may be one that is not judged.
TEST(FloorMeasure, LeavesOutFramesThatStandApart) {
  const Clip clip = faults::GeneratedClips()[0].clip;
  SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  const int64_t frames = clip.motion.frames;
  for (const int64_t step : {1, 2, 3, 4, 5}) {
    const std::vector<float> positions =
        LandmarksOf(clip, facts.landmarks.nodes, step);
    const int64_t judged = (frames - 1) / step + 1;
    for (const int64_t first : {0, 1}) {
      for (const int64_t last : {frames - 1, frames - 2}) {
        FloorMeasure measure;
        measure.Begin(facts.landmarks, kTrunk, facts.reach, step);
        measure.Add(judged, positions);
        measure.End(first, last, 0);
        EXPECT_EQ(measure.heights(kPlusY).count(), last / step + 1 - first);
      }
    }
  }
}

TEST(FloorMeasure, CountsHeightsInBins) {
  HeightHistogram heights;
  const auto add = [&](float place, float scale) {
    int32_t bin = -1;
    HeightHistogram::BinsOf(&place, 1, scale, &bin);
    heights.AddToBin(bin);
  };
  for (int i = 0; i < 1000; ++i) add(static_cast<float>(i), 0.001F);
  EXPECT_EQ(heights.count(), 1000);
  EXPECT_NEAR(heights.Quantile(0.1), 0.1, HeightHistogram::kBinWidth);
  EXPECT_NEAR(heights.Quantile(0.5), 0.5, HeightHistogram::kBinWidth);
  EXPECT_NEAR(static_cast<double>(heights.CountBelow(0.25)), 250, 4);
  heights.Clear();
  EXPECT_EQ(heights.count(), 0);
  // Products that are too large for a float count, too.
  add(1e30F, 1e30F);
  add(1e30F, -1e30F);
  EXPECT_NEAR(heights.Quantile(0.1), -4, HeightHistogram::kBinWidth);
  EXPECT_NEAR(heights.Quantile(1), 4, HeightHistogram::kBinWidth);
}

// Frames of one value: their number.
TEST(PairSamples, AreSpreadEvenlyOverClipsOfAnyLength) {
  for (const int64_t frames : {0, 1, 2, 3, 511, 512, 513, 514, 1025, 9999}) {
    PairSamples pairs;
    pairs.Begin(1);
    for (int64_t i = 0; i < frames; ++i) {
      const auto value = static_cast<float>(i);
      if (pairs.NeedsNext()) {
        pairs.Add({&value, 1});
      } else {
        pairs.Skip();
      }
    }
    EXPECT_EQ(pairs.frames(), frames);
    EXPECT_LE(pairs.count(), PairSamples::kMost);
    if (frames <= PairSamples::kMost + 1) {
      EXPECT_EQ(pairs.count(), std::max<int64_t>(frames - 1, 0));
    } else {
      EXPECT_GE(pairs.count(), PairSamples::kMost / 2 - 1);
    }
    const int64_t stride = pairs.count() > 0 ? pairs.frame(0) : 0;
    for (int64_t i = 0; i < pairs.count(); ++i) {
      EXPECT_EQ(pairs.frame(i), (i + 1) * stride);
      EXPECT_EQ(pairs.after(i)[0], static_cast<float>(pairs.frame(i)));
      EXPECT_EQ(pairs.before(i)[0], static_cast<float>(pairs.frame(i) - 1));
    }
    EXPECT_GT(pairs.frame(pairs.count()), frames - 1);
  }
}

}  // namespace
}  // namespace bvhmill::testing
