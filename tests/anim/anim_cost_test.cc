// Work and memory of the conversions to .anim, as they are drawn from a budget,
// and what happens when the budget refuses them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/base/budget.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A clip of `skeleton` at 1000 frames a second, with any angles.
Clip Shaking(Skeleton skeleton, int64_t frames) {
  Clip clip = CountingClip(std::move(skeleton), frames);
  clip.motion.frame_time = 0.001;
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] =
        180 * std::sin(static_cast<float>(i * i % 65'537) * 0.37F);
  }
  return clip;
}

Clip Still(Skeleton skeleton, int64_t frames) {
  Clip clip = Shaking(std::move(skeleton), frames);
  for (float& value : clip.motion.values) value = 0;
  return clip;
}

// A root with `bones` of the avatar's bones as its children.
Skeleton Star(size_t bones) {
  SkeletonBuilder builder;
  const int root = builder.Root("hip", "XYZzxy", {0, 0, 0});
  for (const AvatarJoint& joint : AvatarJoints()) {
    if (joint.name == "mPelvis" || bones == 0) continue;
    builder.Joint(root, std::string(joint.name), "zxy", {0, 1, 0});
    --bones;
  }
  return builder.Build();
}

// A chain whose last joint is the head of the avatar.
Skeleton Chain(int joints) {
  SkeletonBuilder builder;
  int at = builder.Root("root", "zxy", {0, 0, 0});
  for (int i = 2; i < joints; ++i) {
    at = builder.Joint(at, "x", "zxy", {0, 1, 0});
  }
  builder.Joint(at, "mHead", "zxy", {0, 1, 0});
  return builder.Build();
}

// Two chains; the joints of the avatar alternate between their ends, so that
// the way from each to the next goes through both.
Skeleton AlternatingChains(int joints) {
  std::vector<std::string> names[2];
  for (size_t i = 0; i < AvatarJoints().size(); ++i) {
    names[i % 2].emplace_back(AvatarJoints()[i].name);
  }
  SkeletonBuilder builder;
  const int root = builder.Root("root", "zxy", {0, 0, 0});
  for (const std::vector<std::string>& ends : names) {
    int at = root;
    const int plain = joints - static_cast<int>(ends.size());
    for (int i = 0; i < joints; ++i) {
      const std::string name =
          i < plain ? "x" : ends[static_cast<size_t>(i - plain)];
      at = builder.Joint(at, name, "zxy", {0, 1, 0});
    }
  }
  return builder.Build();
}

int64_t WorkOf(const Clip& clip, const ClipToAnimOptions& options = {}) {
  Budget budget;
  IssueLog log({});
  ClipToAnimResult result;
  EXPECT_TRUE(ClipToAnim(clip, options, &result, &log, &budget).ok());
  EXPECT_EQ(budget.held(), KeyBytes(result.motion));
  return budget.work();
}

int64_t ViewerWorkOf(const Clip& clip) {
  Budget budget;
  IssueLog log({});
  AnimMotion motion;
  EXPECT_TRUE(ImportAsViewer(clip, &motion, &log, &budget).ok());
  EXPECT_EQ(budget.held(), KeyBytes(motion));
  return budget.work();
}

// `twice` is the work on an input twice as large as that of `once`.
void ExpectLinear(int64_t once, int64_t twice) {
  EXPECT_GT(static_cast<double>(twice), 1.8 * static_cast<double>(once));
  EXPECT_LT(static_cast<double>(twice), 2.2 * static_cast<double>(once));
}

TEST(AnimCost, WorkIsLinearInFrames) {
  ExpectLinear(WorkOf(Still(Star(20), 4000)), WorkOf(Still(Star(20), 8000)));
  // With 8000 frames neither figure has room for pairs of keys.
  ExpectLinear(WorkOf(Shaking(Star(20), 8000)),
               WorkOf(Shaking(Star(20), 16'000)));
  ExpectLinear(ViewerWorkOf(Shaking(Star(20), 4000)),
               ViewerWorkOf(Shaking(Star(20), 8000)));
}

TEST(AnimCost, WorkIsLinearInJoints) {
  ExpectLinear(WorkOf(Still(Star(30), 4000)), WorkOf(Still(Star(60), 4000)));
  ExpectLinear(ViewerWorkOf(Shaking(Star(30), 4000)),
               ViewerWorkOf(Shaking(Star(60), 4000)));
}

TEST(AnimCost, WorkIsLinearInDepth) {
  ExpectLinear(WorkOf(Still(Chain(1000), 100)),
               WorkOf(Still(Chain(2000), 100)));
  ExpectLinear(WorkOf(Still(Chain(5000), 1)), WorkOf(Still(Chain(10'000), 1)));
}

TEST(AnimCost, AlternatingChainsAreLinear) {
  const int64_t once = WorkOf(Still(AlternatingChains(1000), 1));
  ExpectLinear(once, WorkOf(Still(AlternatingChains(2000), 1)));
  ExpectLinear(WorkOf(Still(AlternatingChains(4950), 1)),
               WorkOf(Still(AlternatingChains(9900), 1)));
}

// The largest alternating chains that the limits allow are within the work that
// any clip may cost.
TEST(AnimCost, AlternatingChainsAreWithinTheLimits) {
  const Limits limits;
  EXPECT_LT(WorkOf(Still(AlternatingChains(9900), 1)), limits.max_clip_work);
}

// 8 ns a frame, 4 ns a rotation and frame, 8 ns a node of a place and frame.
TEST(AnimCost, CurvesCostWhatTheirHeaderSays) {
  const Clip clip = Still(Chain(7), 1000);
  const Plan plan = MakePlan(clip.skeleton, {});
  ClipToAnimOptions options;
  options.joint_names = {"", "mPelvis", "", "", "", "mTorso", ""};
  const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
  ASSERT_EQ(drive.joints.size(), 2u);
  const PlayedFrames frames = {&clip, &plan, 0, 1000};
  std::vector<DriveStep> steps;
  SetSteps(plan, FindPath(plan, 1, 5), &steps);
  EXPECT_EQ(steps.size(), 12u);
  Budget budget;
  WorkMeter work(&budget);
  RotationCurve rotation;
  FillRotation(frames, drive.joints[1], steps, &rotation, &work);
  ASSERT_TRUE(work.Pay().ok());
  EXPECT_EQ(budget.work(), 1000 * (8 + 12 * 4));
  PositionCurve position;
  FillPelvisPosition(frames, drive, &position, &work);
  ASSERT_TRUE(work.Pay().ok());
  EXPECT_EQ(budget.work(), 1000 * (8 + 12 * 4) + 1000 * (8 + 2 * 8 + 3 * 4));
}

// Angles that are slow to bring into range count more.
TEST(AnimCost, HugeAnglesCostMore) {
  Clip huge = Still(Star(20), 2000);
  const int64_t plain = WorkOf(huge);
  for (float& value : huge.motion.values) value = 3e38F;
  EXPECT_GT(WorkOf(huge), 3 * plain);
}

TEST(AnimCost, ASizeThatNoKeysFitIsRefusedAfterOneFit) {
  const Clip clip = Shaking(Star(10), 500);
  ClipToAnimOptions options;
  options.max_bytes = 100;
  options.accept_odd = true;
  IssueLog log({});
  ClipToAnimResult result;
  ASSERT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  EXPECT_FALSE(result.converted);
  EXPECT_EQ(log.Finish(true, true).issues[0].code, "ANIM_SIZE_LIMIT");
  EXPECT_LT(WorkOf(clip, options), WorkOf(clip) + 1000);
}

TEST(AnimCost, TheMemoryOfFramesIsDrawn) {
  const Clip clip = Still(Star(3), 10'000);
  Limits limits;
  limits.max_clip_memory_bytes = 10'000 * kClipToAnimFrameBytes;
  Budget budget(limits, nullptr);
  IssueLog log({});
  ClipToAnimResult result;
  const absl::Status status = ClipToAnim(clip, {}, &result, &log, &budget);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(budget.work(), 0);
}

TEST(DrivePath, GoesThroughTheLowestCommonAncestor) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomShape shape;
    shape.max_joints = 20;
    const Plan plan = MakePlan(RandomClip(shape, 1, seed).skeleton, {});
    const auto count = static_cast<int32_t>(plan.nodes.size());
    const auto ancestors = [&](int32_t node) {
      std::vector<int32_t> all;
      for (; node >= 0; node = plan.nodes[static_cast<size_t>(node)].parent) {
        all.push_back(node);
      }
      all.push_back(-1);
      return all;
    };
    for (int32_t base = -1; base < count; ++base) {
      for (int32_t node = 0; node < count; ++node) {
        const std::vector<int32_t> ups = ancestors(base);
        const std::vector<int32_t> downs = ancestors(node);
        size_t up = 0;
        while (std::find(downs.begin(), downs.end(), ups[up]) == downs.end()) {
          ++up;
        }
        const auto down =
            std::find(downs.begin(), downs.end(), ups[up]) - downs.begin();
        const DrivePath path = FindPath(plan, base, node);
        ASSERT_EQ(path.above, ups[up]);
        ASSERT_EQ(path.nodes, static_cast<int64_t>(up) + down);
      }
    }
  }
}

// The budget of one conversion, whose holder may refuse memory or cancel.
struct Refusal {
  Limits limits;
  // The grant of the holder that is refused, or at which the conversion is
  // cancelled; 0 for none.
  int refused_grant = 0;
  int cancelled_grant = 0;
};

struct Outcome {
  absl::Status status;
  AnimMotion motion;
  int64_t work = 0;
  int64_t held = 0;
  int grants = 0;
  Report report;
};

using AnimConversion = std::function<absl::Status(
    AnimMotion* motion, IssueLog* log, Budget* budget)>;

Outcome ConvertWithin(const AnimConversion& convert, const Refusal& refusal) {
  Outcome out;
  CancelToken token;
  Budget budget(refusal.limits, &token, [&](int64_t bytes) {
    if (bytes < 0) return absl::OkStatus();
    ++out.grants;
    if (out.grants == refusal.cancelled_grant) token.Cancel();
    return out.grants == refusal.refused_grant
               ? absl::ResourceExhaustedError("no memory")
               : absl::OkStatus();
  });
  IssueLog log({});
  out.status = convert(&out.motion, &log, &budget);
  out.work = budget.work();
  out.held = budget.held();
  out.report = log.Finish(true, true);
  return out;
}

void ExpectNothing(const Outcome& out, absl::StatusCode code) {
  EXPECT_EQ(out.status.code(), code) << out.status;
  EXPECT_EQ(out.motion, AnimMotion{});
  EXPECT_EQ(out.held, 0);
  EXPECT_EQ(out.report.counts.errors, 0);
}

Limits WithWork(int64_t units) {
  Limits limits;
  limits.max_clip_work = units;
  limits.max_clip_work_per_byte = 0;
  return limits;
}

struct Profile {
  const char* name;
  AnimConversion convert;
};

void PrintTo(const Profile& profile, std::ostream* out) {
  *out << profile.name;
}

absl::Status AsBest(AnimMotion* motion, IssueLog* log, Budget* budget) {
  static const Clip clip = Shaking(Star(12), 6000);
  ClipToAnimOptions options;
  options.accept_odd = true;
  ClipToAnimResult result;
  result.converted = true;
  absl::Status status = ClipToAnim(clip, options, &result, log, budget);
  EXPECT_EQ(result.converted, status.ok());
  *motion = std::move(result.motion);
  return status;
}

absl::Status AsViewer(AnimMotion* motion, IssueLog* log, Budget* budget) {
  static const Clip clip = Shaking(Star(12), 30'000);
  motion->duration = 7;
  return ImportAsViewer(clip, motion, log, budget);
}

class AnimRefusalTest : public ::testing::TestWithParam<Profile> {
 protected:
  Outcome RunWith(const Refusal& refusal) {
    return ConvertWithin(GetParam().convert, refusal);
  }
  // Nothing that was refused before changes the conversion.
  void ExpectWhole() {
    const Outcome again = RunWith({WithWork(0)});
    EXPECT_TRUE(again.status.ok()) << again.status;
    EXPECT_EQ(again.motion, whole_.motion);
    EXPECT_EQ(again.work, whole_.work);
  }

  const Outcome whole_ = RunWith({WithWork(0)});
};

TEST_P(AnimRefusalTest, AnyDrawOfWorkMayFail) {
  ASSERT_TRUE(whole_.status.ok()) << whole_.status;
  ASSERT_FALSE(whole_.motion.joints.empty());
  EXPECT_EQ(whole_.held, KeyBytes(whole_.motion));
  int draws = 0;
  int64_t drawn = 1;
  while (drawn < whole_.work) {
    const Outcome out = RunWith({WithWork(drawn)});
    ExpectNothing(out, absl::StatusCode::kResourceExhausted);
    ASSERT_GT(out.work, drawn);
    EXPECT_LE(out.work - drawn, 20'000'000);
    drawn = out.work;
    ++draws;
  }
  EXPECT_EQ(drawn, whole_.work);
  EXPECT_GE(draws, 3);
  ExpectWhole();
}

TEST_P(AnimRefusalTest, AnyGrantOfMemoryMayBeRefused) {
  for (int grant = 1; grant <= whole_.grants; ++grant) {
    ExpectNothing(RunWith({WithWork(0), grant}),
                  absl::StatusCode::kResourceExhausted);
  }
  EXPECT_GE(whole_.grants, 3);
  ExpectWhole();
}

TEST_P(AnimRefusalTest, CanBeCancelledWhileItRuns) {
  for (int grant = 1; grant <= whole_.grants; ++grant) {
    ExpectNothing(RunWith({WithWork(0), 0, grant}),
                  absl::StatusCode::kCancelled);
  }
  ExpectWhole();
}

INSTANTIATE_TEST_SUITE_P(Profiles, AnimRefusalTest,
                         ::testing::Values(Profile{"best", AsBest},
                                           Profile{"viewer", AsViewer}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
