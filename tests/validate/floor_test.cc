// The figures of the floor rules against those of a simple twin, and what they
// keep of long clips.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/validate/floor/floor_measure.h"
#include "bvhmill/validate/floor/floor_rules.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/faults/corpus.h"
#include "tests/support/clips.h"
#include "tests/validate/floor_twin.h"

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

FloorMeasure MeasureOf(const Clip& clip, const SkeletonFacts& facts) {
  FloorMeasure measure;
  measure.Begin(facts.landmarks, facts.reach);
  const std::vector<float> positions = PositionsOf(clip, facts.landmarks.nodes);
  const size_t size = 3 * facts.landmarks.nodes.size();
  // One frame, then two, three, ... at a time.
  size_t frames = 1;
  for (size_t at = 0; at < positions.size(); at += size * frames++) {
    frames = std::min(frames, (positions.size() - at) / size);
    measure.Add(static_cast<int64_t>(frames),
                std::span(positions).subspan(at, size * frames));
  }
  measure.End(0, measure.frames() - 1);
  return measure;
}

bool AreNear(double a, double b, double bound) {
  return std::fabs(a - b) <= bound;
}

// Clips of at most 512 frames, of which every pair of frames is kept.
void ExpectSameFigures(const Clip& clip, int direction) {
  SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  FloorMeasure measure = MeasureOf(clip, facts);
  ASSERT_TRUE(measure.is_finite());
  const double floor = measure.heights(direction).Quantile(0.1);
  const FloorFigures twin = FloorOf(clip, direction, floor + 0.02, 0.15);
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
  EXPECT_TRUE(
      AreNear(twin.low[static_cast<size_t>(lowest.frame)], twin.lowest, 1e-5));
  const auto parts = measure.PartHeights(direction);
  ASSERT_TRUE(parts.has_value());
  for (size_t part = 0; part < 5; ++part) {
    EXPECT_TRUE(AreNear((*parts)[part], twin.parts[part], 1e-5)) << part;
  }
  const double dt = clip.motion.frame_time;
  const FootSlide slide = measure.Slide(direction, floor + 0.02, 0.15, dt);
  EXPECT_TRUE(AreNear(slide.contact, twin.contact, 0.005)) << slide.contact;
  EXPECT_TRUE(AreNear(slide.median, twin.median, 0.005)) << slide.median;
  EXPECT_TRUE(AreNear(slide.gain, twin.gain, 0.02)) << slide.gain;
}

TEST(FloorMeasure, IsThatOfTheTwinInCleanClips) {
  int compared = 0;
  for (const faults::CleanClip& clip : faults::GeneratedClips()) {
    if (clip.clip.motion.frames > PairSamples::kMost) continue;
    SCOPED_TRACE(clip.name);
    ExpectSameFigures(clip.clip, kPlusY);
    ++compared;
  }
  EXPECT_GT(compared, 5);
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
      ExpectSameFigures(clip, direction);
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
    FloorMeasure measure = MeasureOf(clip, facts);
    const FloorFigures twin = FloorOf(clip, kPlusY, 0, 0.15);
    EXPECT_GT(std::fabs(twin.floor), 10);
    EXPECT_NEAR(measure.HeightOf(kPlusY, 0.1), twin.floor, 0.02);
  }
}

// The first and the last frame wait until it is known whether they count.
TEST(FloorMeasure, LeavesOutFramesThatStandApart) {
  const Clip clip = faults::GeneratedClips()[0].clip;
  SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  const std::vector<float> positions = PositionsOf(clip, facts.landmarks.nodes);
  const int64_t frames = clip.motion.frames;
  for (const int64_t first : {0, 1}) {
    for (const int64_t last : {frames - 1, frames - 2}) {
      FloorMeasure measure;
      measure.Begin(facts.landmarks, facts.reach);
      measure.Add(frames, positions);
      measure.End(first, last);
      EXPECT_EQ(measure.heights(kPlusY).count(), last - first + 1);
    }
  }
}

// A figure of hips, feet and a head, whose reach is 50.
struct FloorCase {
  const char* name;
  // From the feet to the head.
  Offset up;
  Offset hips;
  std::vector<std::string> issues;
  int64_t frames = 40;
  UpAxis axis = UpAxis::kUnknown;
  // The way of the hips along X in a frame.
  float step = 0;
  // The rest pose hints at Z.
  bool seems_z_up = false;
};

std::vector<std::string> IssuesOfFloor(const FloorCase& c) {
  const auto along = [&](float length) {
    return Offset{length * c.up[0], length * c.up[1], length * c.up[2]};
  };
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.Joint(hips, "LeftFoot", "zxy", along(-50));
  builder.Joint(hips, "RightFoot", "zxy", along(-50));
  builder.Joint(hips, "Head", "zxy", along(50));
  Clip clip = CountingClip(builder.Build(), c.frames);
  const size_t width = clip.skeleton.channels.size();
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const size_t column = i % width;
    clip.motion.values[i] = column < 3 ? c.hips[column] : 0;
    if (column == 0) {
      clip.motion.values[i] += c.step * static_cast<float>(i / width);
    }
  }
  SkeletonFacts facts;
  FindFacts(clip.skeleton, &facts);
  MotionFacts motion;
  motion.reach = facts.reach;
  motion.frames = c.frames;
  motion.seems_z_up = c.seems_z_up;
  const std::vector<TextPosition> places(clip.skeleton.nodes.size());
  const SourceSpace source = {c.axis, 0};
  const Thresholds thresholds;
  const auto observer = MakeFloorRules();
  observer->Begin(
      {clip.skeleton, facts, places, source, motion.dt, thresholds, motion});
  const std::vector<float> positions = PositionsOf(clip, facts.landmarks.nodes);
  ObservedRows rows;
  rows.frames = c.frames;
  rows.values = clip.motion.values;
  rows.landmarks = positions;
  observer->Add(rows);
  IssueLog log({});
  observer->Finish(&log);
  std::vector<std::string> out;
  for (const Issue& issue : log.Finish(true, true).issues) {
    out.push_back(issue.code);
  }
  return out;
}

TEST(FloorRules, SpeakWhereTheyShould) {
  const std::string up_axis = "DATA_UP_AXIS_GUESS";
  const std::string offset = "DATA_FLOOR_OFFSET";
  const FloorCase kCases[] = {
      {"stands along Y", {0, 1, 0}, {0, 50, 0}, {}},
      {"stands along Z", {0, 0, 1}, {0, 0, 50}, {up_axis}},
      {"stands along -Y", {0, -1, 0}, {0, -50, 0}, {up_axis}},
      {"stands along -Y, which is known",
       {0, -1, 0},
       {0, -50, 0},
       {},
       40,
       UpAxis::kY},
      // No axis has seven tenths of it.
      {"leans between the axes", {0.6F, 0.55F, 0.58F}, {0, 27.5F, 0}, {}},
      // Two reaches above 0 along Y, and on 0 along Z.
      {"leans, high along Y", {0.6F, 0.55F, 0.58F}, {0, 127.5F, 29}, {offset}},
      {"leans, Z is known",
       {0.6F, 0.55F, 0.58F},
       {0, 127.5F, 29},
       {},
       40,
       UpAxis::kZ},
      {"leans, the rest pose hints at Z",
       {0.6F, 0.55F, 0.58F},
       {0, 127.5F, 29},
       {},
       40,
       UpAxis::kUnknown,
       0,
       true},
      {"stands along Y, the rest pose hints at Z",
       {0, 1, 0},
       {0, 50, 20},
       {},
       40,
       UpAxis::kUnknown,
       0,
       true},
      {"a fifth of the reach above 0", {0, 1, 0}, {0, 60, 0}, {offset}},
      {"eight frames", {0, 1, 0}, {0, 60, 0}, {offset}, 8},
      {"seven frames", {0, 1, 0}, {0, 60, 0}, {}, 7},
      {"four reaches above 0, and stands", {0, 1, 0}, {0, 250, 0}, {offset}},
      {"four reaches above 0, and moves",
       {0, 1, 0},
       {0, 250, 0},
       {"DATA_ROOT_SCALE", offset},
       40,
       UpAxis::kUnknown,
       0.001F},
  };
  for (const FloorCase& c : kCases) {
    EXPECT_THAT(IssuesOfFloor(c),
                ::testing::UnorderedElementsAreArray(c.issues))
        << c.name;
  }
}

TEST(FloorMeasure, CountsHeightsInBins) {
  HeightHistogram heights;
  for (int i = 0; i < 1000; ++i) heights.Add(0.001 * i);
  EXPECT_EQ(heights.count(), 1000);
  EXPECT_NEAR(heights.Quantile(0.1), 0.1, HeightHistogram::kBinWidth);
  EXPECT_NEAR(heights.Quantile(0.5), 0.5, HeightHistogram::kBinWidth);
  EXPECT_NEAR(static_cast<double>(heights.CountBelow(0.25)), 250, 4);
  heights.Clear();
  EXPECT_EQ(heights.count(), 0);
  heights.Add(1e30);
  heights.Add(-1e30);
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
