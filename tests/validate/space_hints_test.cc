// Tests the hints at units and axes: when they appear, and when they must not.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/rules.h"
#include "tests/validate/checked_parts.h"
#include "tests/validate/issues.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kUnit[] = "DATA_UNIT_GUESS@0";
constexpr char kUpAxis[] = "DATA_UP_AXIS_GUESS@0";

// Where X, Y and Z of a figure that stands along Y go: 0, 1, 2.
using Axes = std::array<size_t, 3>;
constexpr Axes kStands = {0, 1, 2};
constexpr Axes kAlongZ = {0, 2, 1};

struct Figure {
  // From the soles to the top; arms are stretched as wide as that.
  double size = 1;
  Axes axes = kStands;
  // By how many times wider than that.
  float reach = 1;
  bool legs = true;
  bool arms = true;
  const char* hips = "Hips";
};

// Chains of joints in units of a hundredth of the figure.
class FigureBuilder {
 public:
  explicit FigureBuilder(const Figure& figure) : figure_(figure) {
    const int hips = skeleton.Root(figure.hips, "XYZzxy");
    if (figure.legs) {
      Leg(hips, "L", 6);
      Leg(hips, "R", -6);
    }
    const int chest =
        Bone(Bone(hips, "Spine", {0, 10, 0}), "Chest", {0, 15, 0});
    if (figure.arms) {
      Arm(chest, "L", 1);
      Arm(chest, "R", -1);
    }
    // Where names tell the head, all frames say which axis is up (floor_test).
    skeleton.EndSite(Bone(chest, "Top", {0, 12, 0}), "", At({0, 10, 0}));
  }

  SkeletonBuilder skeleton;

 private:
  Offset At(const Offset& offset) const {
    Offset out = {};
    for (size_t i = 0; i < 3; ++i) {
      out[figure_.axes[i]] = static_cast<float>(offset[i] * figure_.size / 100);
    }
    return out;
  }
  int Bone(int parent, const char* name, const Offset& offset) {
    return skeleton.Joint(parent, name, "zxy", At(offset));
  }
  void Leg(int hips, const std::string& side, float x) {
    const int thigh = Bone(hips, (side + "Thigh").c_str(), {x, 0, 0});
    const int shin = Bone(thigh, (side + "Shin").c_str(), {0, -26, 0});
    const int foot = Bone(shin, (side + "Foot").c_str(), {0, -27, 0});
    skeleton.EndSite(foot, "", At({0, 0, 10}));
  }
  void Arm(int chest, const std::string& side, float sign) {
    sign *= figure_.reach;
    const int arm = Bone(chest, (side + "Arm").c_str(), {sign * 12, 0, 0});
    const int fore = Bone(arm, (side + "Fore").c_str(), {sign * 15, 0, 0});
    const int hand = Bone(fore, (side + "Hand").c_str(), {sign * 15, 0, 0});
    skeleton.EndSite(hand, "", At({sign * 8, 0, 0}));
  }

  const Figure& figure_;
};

// The figure with its root at `root`, in every frame.
Clip ClipOf(const Figure& figure, const Offset& root = {}) {
  const FigureBuilder builder(figure);
  std::vector<float> row(builder.skeleton.Build().channels.size());
  std::copy(root.begin(), root.end(), row.begin());
  return ClipOf(builder.skeleton, row);
}

struct SizeCase {
  double size;
  // Null where nothing may be said.
  const char* meters;
};

void PrintTo(const SizeCase& c, std::ostream* out) { *out << c.size; }

class SizeTest : public ::testing::TestWithParam<SizeCase> {};

INSTANTIATE_TEST_SUITE_P(
    UnitGuess, SizeTest,
    ::testing::Values(
        SizeCase{0, nullptr}, SizeCase{0.1, nullptr}, SizeCase{0.9, nullptr},
        SizeCase{1.1, "1"}, SizeCase{1.8, "1"}, SizeCase{2.4, "1"},
        SizeCase{2.6, nullptr}, SizeCase{5.6, nullptr}, SizeCase{18, nullptr},
        SizeCase{26, nullptr}, SizeCase{44, nullptr}, SizeCase{46, "0.0254"},
        SizeCase{70, "0.0254"}, SizeCase{84, "0.0254"}, SizeCase{86, nullptr},
        SizeCase{98, nullptr}, SizeCase{101, "0.01"}, SizeCase{175, "0.01"},
        SizeCase{249, "0.01"}, SizeCase{300, nullptr}, SizeCase{990, nullptr},
        SizeCase{1750, "0.001"}, SizeCase{2600, nullptr},
        SizeCase{1e30, nullptr},
        // The ends of the bands.
        SizeCase{0.99, nullptr}, SizeCase{1.01, "1"}, SizeCase{2.49, "1"},
        SizeCase{2.51, nullptr}, SizeCase{44.8, nullptr},
        SizeCase{45.2, "0.0254"}, SizeCase{84.8, "0.0254"},
        SizeCase{85.2, nullptr}, SizeCase{99.5, nullptr},
        SizeCase{100.5, "0.01"}, SizeCase{249.5, "0.01"},
        SizeCase{250.5, nullptr}, SizeCase{999, nullptr},
        SizeCase{1000.4, "0.001"}, SizeCase{2499, "0.001"},
        SizeCase{2501, nullptr}));

TEST_P(SizeTest, SpeaksWhereOneUnitIsLikely) {
  const auto& [size, meters] = GetParam();
  for (const Axes& axes : {kStands, kAlongZ, Axes{1, 0, 2}}) {
    const Report report = ReportOf(ClipOf(Figure{size, axes}));
    if (meters == nullptr) {
      // Other issues of a figure of no size are allowed.
      for (const Issue& issue : report.issues) {
        EXPECT_NE(issue.code, "DATA_UNIT_GUESS");
      }
      continue;
    }
    ASSERT_EQ(report.issues.size(), 1u);
    EXPECT_EQ(report.verdict, Verdict::kValid);
    const IssueArgs& args = report.issues[0].args;
    EXPECT_THAT(args, ::testing::Contains(std::pair<std::string, std::string>(
                          "meters", meters)));
  }
}

// A thread that has seen a figure need not look at it once more.
TEST(UnitGuess, IsOfThisFigureAndNotOfTheOneBefore) {
  const auto meters_of = [](const Figure& figure) {
    const Report report = ReportOf(ClipOf(figure));
    return report.issues.empty() ? "" : report.issues[0].args.back().second;
  };
  const Figure tall{175};
  Figure no_legs{175};
  no_legs.legs = false;
  Figure renamed{175};
  renamed.hips = "Pelvis";
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(meters_of(tall), "0.01");
    EXPECT_EQ(meters_of(tall), "0.01");
    EXPECT_EQ(meters_of(Figure{70}), "0.0254");
    EXPECT_EQ(meters_of(no_legs), "");
    EXPECT_EQ(meters_of(no_legs), "");
    EXPECT_EQ(meters_of(renamed), "0.01");
  }
}

TEST(UnitGuess, SaysWhatItMeasured) {
  const Report report = ReportOf(ClipOf(Figure{152.69}));
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_EQ(report.issues[0].severity, Severity::kHint);
  EXPECT_EQ(report.issues[0].message,
            "the rest pose measures 152.7, the size of a person in "
            "centimeters; nothing was scaled");
}

TEST(UnitGuess, KnowsTheUnitOfCmuByItsNames) {
  SkeletonBuilder builder = FigureBuilder(Figure{26}).skeleton;
  EXPECT_THAT(IssuesOf(ClipOf(builder, {0})), IsEmpty());
  Figure figure{26};
  figure.hips = "LHipJoint";
  const Report report = ReportOf(ClipOf(figure));
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_THAT(report.issues[0].message, ::testing::HasSubstr("1/0.45 inch"));
}

TEST(UnitGuess, IsSilentWhereTheUnitIsKnown) {
  EXPECT_THAT(IssuesOf(ClipOf(Figure{175}), {UpAxis::kUnknown, 0.01}),
              IsEmpty());
  EXPECT_THAT(IssuesOf(ClipOf(Figure{175}), {UpAxis::kY, 0}),
              ElementsAre(kUnit));
}

// A hand of 60 cm is no person of 60 inches.
TEST(UnitGuess, IsSilentAboutParts) {
  Figure no_legs{60};
  no_legs.legs = false;
  EXPECT_THAT(IssuesOf(ClipOf(no_legs)), IsEmpty());
  Figure no_arms{60};
  no_arms.arms = false;
  EXPECT_THAT(IssuesOf(ClipOf(no_arms)), IsEmpty());
  SkeletonBuilder hand;
  const int palm = hand.Joint(hand.Root("Arm", "XYZzxy"), "Palm", "zxy");
  for (const char* name : {"A", "B", "C", "D", "E"}) {
    int at = palm;
    for (int i = 0; i < 3; ++i) {
      at = hand.Joint(at, name + std::to_string(i), "zxy", {0, 20, 0});
    }
  }
  EXPECT_THAT(IssuesOf(ClipOf(hand, {0})), IsEmpty());
}

TEST(UnitGuess, IsSilentAboutSeveralFigures) {
  FigureBuilder builder(Figure{175});
  builder.skeleton.Root("Other", "XYZzxy");
  EXPECT_THAT(IssuesOf(ClipOf(builder.skeleton, {0})), IsEmpty());
}

struct UpCase {
  const char* name;
  Axes axes;
  Offset root;
  bool speaks;
};

void PrintTo(const UpCase& c, std::ostream* out) { *out << c.name; }

class UpAxisTest : public ::testing::TestWithParam<UpCase> {};

INSTANTIATE_TEST_SUITE_P(
    UpAxisGuess, UpAxisTest,
    ::testing::Values(
        UpCase{"StandsAlongY", kStands, {0, 95, 0}, false},
        UpCase{"StandsAlongYFarAway", kStands, {0, 95, 95}, false},
        UpCase{"StandsAlongYAtTheOrigin", kStands, {0, 0, 95}, false},
        UpCase{"StandsAlongZ", kAlongZ, {0, 0, 95}, true},
        UpCase{"StandsAlongZFarAway", kAlongZ, {-300, 400, 95}, true},
        UpCase{"StandsAlongZAtTheOrigin", kAlongZ, {0, 0, 0}, false},
        UpCase{"RestsAlongZButMovesAlongY", kAlongZ, {0, 95, 0}, false},
        UpCase{"CouldBeEither", kAlongZ, {0, 95, 95}, false},
        UpCase{"HipsInTheAir", kAlongZ, {0, 0, 300}, false},
        // Hips are between 0.3 and 0.8 of the size.
        UpCase{"HipsAsLowAsCanBe", kAlongZ, {0, 0, 53}, true},
        UpCase{"HipsTooLow", kAlongZ, {0, 0, 52}, false},
        UpCase{"HipsAsHighAsCanBe", kAlongZ, {0, 0, 139}, true},
        UpCase{"HipsTooHigh", kAlongZ, {0, 0, 141}, false},
        UpCase{"HipsBelowTheGround", kAlongZ, {0, 0, -95}, false},
        UpCase{"ArmsAlongY", {1, 2, 0}, {0, 0, 95}, false},
        UpCase{"NotANumber", kAlongZ, {0, 0, NAN}, false}),
    [](const auto& info) { return info.param.name; });

TEST_P(UpAxisTest, NeedsTheRestPoseAndTheRoot) {
  const Clip clip = ClipOf(Figure{175, GetParam().axes}, GetParam().root);
  const auto issues = IssuesOf(clip, {UpAxis::kUnknown, 0.01});
  if (GetParam().speaks) {
    EXPECT_THAT(issues, ElementsAre(kUpAxis));
  } else {
    EXPECT_THAT(issues, IsEmpty());
  }
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kY, 0.01}), IsEmpty());
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kZ, 0.01}), IsEmpty());
}

// Who is wider than that may lie on the back.
TEST(UpAxisGuess, ArmsAreUpToHalfAsMuchWiderThanTheBodyIsHigh) {
  const SourceSpace unit_known = {UpAxis::kUnknown, 0.01};
  const Offset root = {0, 0, 95};
  EXPECT_THAT(IssuesOf(ClipOf(Figure{175, kAlongZ, 1.45F}, root), unit_known),
              ElementsAre(kUpAxis));
  EXPECT_THAT(IssuesOf(ClipOf(Figure{175, kAlongZ, 1.55F}, root), unit_known),
              IsEmpty());
}

// Where the head is known, all frames say which axis is up.
TEST(UpAxisGuess, IsLeftToTheHeadWhereItIsKnown) {
  Clip clip = ClipOf(Figure{175, kAlongZ}, {0, 0, 95});
  for (Node& node : clip.skeleton.nodes) {
    if (node.name == "Top") node.name = "Head";
  }
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kUnknown, 0.01}), IsEmpty());
}

// The floor rules use it where the head does not say which axis is up.
TEST(UpAxisGuess, IsAFactForOtherRulesInAnyCase) {
  for (const Axes& axes : {kStands, kAlongZ}) {
    Clip clip = ClipOf(Figure{175, axes}, {0, 0, 95});
    for (Node& node : clip.skeleton.nodes) {
      if (node.name == "Top") node.name = "Head";
    }
    CheckedParts parts(clip);
    IssueLog log({});
    CheckSamples(parts.checked(), &log);
    EXPECT_EQ(parts.motion.seems_z_up, axes == kAlongZ);
  }
}

// The root is at the height of hips along Z in all frames, and along Y only in
// the last ones.
TEST(UpAxisGuess, LooksAtYInAllFrames) {
  Clip clip = ClipOf(Figure{175, kAlongZ}, {0, 0, 95});
  const size_t width = clip.skeleton.channels.size();
  for (size_t frame = 1; frame < 3; ++frame) {
    clip.motion.values[frame * width + 1] = 95;
  }
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kUnknown, 0.01}), ElementsAre(kUpAxis));
  clip.motion.values[1] = 95;
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kUnknown, 0.01}), IsEmpty());
}

TEST(UpAxisGuess, NeedsOneFrame) {
  Clip clip = ClipOf(Figure{175, kAlongZ}, {0, 0, 95});
  clip.motion.frames = 1;
  clip.motion.values.resize(clip.skeleton.channels.size());
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kUnknown, 0.01}), ElementsAre(kUpAxis));
  clip.motion.frames = 0;
  clip.motion.values.clear();
  EXPECT_THAT(IssuesOf(clip, {UpAxis::kUnknown, 0.01}), IsEmpty());
}

TEST(UpAxisGuess, SaysWhatItMeasured) {
  const Report report =
      ReportOf(ClipOf(Figure{175, kAlongZ}, {0, 0, 95}), {{}, 0.01});
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_EQ(report.issues[0].severity, Severity::kHint);
  EXPECT_THAT(report.issues[0].message,
              ::testing::HasSubstr("the root is at 95 along Z: Z may be up"));
}

TEST(UpAxisGuess, IsSilentWithoutFrames) {
  const Clip clip =
      ClipOf(FigureBuilder(Figure{175, kAlongZ}).skeleton, {0}, 0);
  EXPECT_THAT(IssuesOf(clip), ElementsAre(kUnit));
}

// A dog of the length of a person: its arms end on the floor, too.
TEST(UnitGuess, IsSilentAboutAFigureOnFourLegs) {
  for (const float front : {60.0F, 20.0F}) {
    SkeletonBuilder builder;
    const int hips = builder.Root("Hips", "XYZzxy");
    const auto limb = [&](int parent, const std::string& name, float x,
                          float length) {
      const int upper = builder.Joint(parent, name + "Up", "zxy", {x, 0, 0});
      const int lower =
          builder.Joint(upper, name + "Low", "zxy", {0, -length / 2, 0});
      builder.EndSite(
          builder.Joint(lower, name + "End", "zxy", {0, -length / 2, 0}), "",
          {0, 0, 2});
    };
    limb(hips, "LeftLeg", 10, 60);
    limb(hips, "RightLeg", -10, 60);
    const int chest = builder.Joint(hips, "Chest", "zxy", {0, 0, 90});
    limb(chest, "LeftArm", 10, front);
    limb(chest, "RightArm", -10, front);
    builder.EndSite(builder.Joint(chest, "Head", "zxy", {0, 20, 40}));
    const Clip clip = ClipOf(builder, {0, 62, 0});
    EXPECT_EQ(IssuesOf(clip),
              front == 60.0F ? std::vector<std::string>{}
                             : std::vector<std::string>{"DATA_UNIT_GUESS@0"})
        << front;
  }
}

}  // namespace
}  // namespace bvhmill::testing
