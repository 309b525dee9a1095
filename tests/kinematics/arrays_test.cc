// Kinds of rotations, layouts, arrays written by several jobs, velocities.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bvhmill/kinematics/fk_job.h"
#include "tests/kinematics/compare.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

constexpr FkTarget kTargets[] = {FkTarget::kReference, FkTarget::kVector128,
                                 FkTarget::kAvx2, FkTarget::kAvx512};
constexpr RotationKind kKinds[] = {RotationKind::kQuaternion,
                                   RotationKind::kMatrix, RotationKind::kSixD};

// The choices of a job, without the range of frames.
struct Choice {
  FkTarget target = FkTarget::kReference;
  RotationKind kind = RotationKind::kQuaternion;
  TensorLayout layout = TensorLayout::kFrameMajor;
  bool with_end_sites = false;
};

// Every choice that this machine can make.
std::vector<Choice> Choices() {
  std::vector<Choice> choices;
  for (const FkTarget target : kTargets) {
    if (!IsSupported(target)) continue;
    for (const RotationKind kind : kKinds) {
      for (const bool end_sites : {false, true}) {
        choices.push_back({target, kind, TensorLayout::kFrameMajor, end_sites});
        choices.push_back({target, kind, TensorLayout::kJointMajor, end_sites});
      }
    }
  }
  return choices;
}

std::string NameOf(const Choice& choice) {
  return std::string(FkTargetName(choice.target)) + " kind " +
         std::to_string(static_cast<int>(choice.kind)) + " layout " +
         std::to_string(static_cast<int>(choice.layout)) +
         (choice.with_end_sites ? " with end sites" : "");
}

// Solves `clip` by jobs of `step` frames each.
Solved SolveInSteps(const Clip& clip, const Plan& plan, const Choice& choice,
                    int64_t step) {
  const int64_t frames = clip.motion.frames;
  const auto rows =
      static_cast<size_t>(frames * RowsOf(plan, choice.with_end_sites));
  const size_t turns = rows * static_cast<size_t>(WidthOf(choice.kind));
  Solved solved;
  solved.positions.resize(rows * 3, NAN);
  solved.world_rotations.resize(turns, NAN);
  solved.local_rotations.resize(turns, NAN);
  for (int64_t first = 0; first < frames; first += step) {
    FkJob job;
    job.plan = &plan;
    job.frames = std::min(step, frames - first);
    job.values = std::span(clip.motion.values)
                     .subspan(static_cast<size_t>(first * plan.columns),
                              static_cast<size_t>(job.frames * plan.columns));
    job.with_end_sites = choice.with_end_sites;
    job.layout = choice.layout;
    job.rotation_kind = choice.kind;
    job.array_frames = frames;
    job.first_frame = first;
    job.positions = solved.positions;
    job.world_rotations = solved.world_rotations;
    job.local_rotations = solved.local_rotations;
    job.target = choice.target;
    EXPECT_TRUE(job.Validate().ok()) << job.Validate();
    job.Run();
  }
  return solved;
}

// (row, frame, component) -> (frame, row, component).
std::vector<float> FrameMajor(const std::vector<float>& joint_major,
                              size_t frames, size_t width) {
  const size_t rows = joint_major.size() / width / frames;
  std::vector<float> out;
  for (size_t frame = 0; frame < frames; ++frame) {
    for (size_t row = 0; row < rows; ++row) {
      const float* from = &joint_major[(row * frames + frame) * width];
      out.insert(out.end(), from, from + width);
    }
  }
  return out;
}

TEST(Arrays, JointMajorHoldsTheSameNumbers) {
  const Clip clip = RandomClip({}, 37, 500);
  const Plan plan = MakePlan(clip.skeleton, {});
  for (Choice choice : Choices()) {
    if (choice.layout == TensorLayout::kFrameMajor) continue;
    SCOPED_TRACE(NameOf(choice));
    const Solved joints = SolveInSteps(clip, plan, choice, 37);
    choice.layout = TensorLayout::kFrameMajor;
    const Solved frames = SolveInSteps(clip, plan, choice, 37);
    const auto width = static_cast<size_t>(WidthOf(choice.kind));
    EXPECT_EQ(FrameMajor(joints.positions, 37, 3), frames.positions);
    EXPECT_EQ(FrameMajor(joints.world_rotations, 37, width),
              frames.world_rotations);
    EXPECT_EQ(FrameMajor(joints.local_rotations, 37, width),
              frames.local_rotations);
  }
}

TEST(Arrays, PiecesOfAnArrayAreThoseOfTheWhole) {
  const Clip clip = RandomClip({}, 53, 501);
  const Plan plan = MakePlan(clip.skeleton, {});
  for (const Choice& choice : Choices()) {
    const Solved whole = SolveInSteps(clip, plan, choice, 53);
    for (const int64_t step : {1, 7, 16, 19}) {
      SCOPED_TRACE(NameOf(choice) + " step " + std::to_string(step));
      const Solved pieces = SolveInSteps(clip, plan, choice, step);
      ASSERT_EQ(pieces.positions, whole.positions);
      ASSERT_EQ(pieces.world_rotations, whole.world_rotations);
      ASSERT_EQ(pieces.local_rotations, whole.local_rotations);
    }
  }
}

// Entry k of a rotation of some kind.
double EntryOf(const Matrix4& m, RotationKind kind, size_t k) {
  return kind == RotationKind::kMatrix ? m.at[k / 3][k % 3]
                                       : m.at[k % 3][k / 3];
}

void ExpectTurn(const float* actual, const Matrix4& expected,
                RotationKind kind) {
  for (size_t k = 0; k < static_cast<size_t>(WidthOf(kind)); ++k) {
    ASSERT_NEAR(actual[k], EntryOf(expected, kind, k),
                kVectorTolerance.rotation)
        << "entry " << k;
  }
}

void ExpectTurns(const Solved& solved, const OracleClip& clip,
                 const Choice& choice) {
  const auto width = static_cast<size_t>(WidthOf(choice.kind));
  size_t at = 0;
  for (size_t frame = 0; frame < clip.frames; ++frame) {
    const OraclePose pose = SolveOracle(clip, frame, {});
    for (size_t i = 0; i < clip.nodes.size(); ++i) {
      const OracleNode& node = clip.nodes[i];
      if (node.end_site && !choice.with_end_sites) continue;
      SCOPED_TRACE(i);
      const auto world = static_cast<size_t>(node.end_site ? node.parent : i);
      ASSERT_NO_FATAL_FAILURE(ExpectTurn(&solved.world_rotations[at],
                                         pose.world[world], choice.kind));
      ASSERT_NO_FATAL_FAILURE(
          ExpectTurn(&solved.local_rotations[at], pose.local[i], choice.kind));
      at += width;
    }
  }
}

TEST(Arrays, MatricesAreThoseOfTheOracle) {
  for (uint64_t seed = 600; seed < 620; ++seed) {
    const Clip clip = RandomClip({.scales = seed % 4 == 0}, 21, seed);
    const Plan plan = MakePlan(clip.skeleton, {});
    for (const Choice& choice : Choices()) {
      if (choice.kind == RotationKind::kQuaternion ||
          choice.layout == TensorLayout::kJointMajor) {
        continue;
      }
      SCOPED_TRACE(NameOf(choice) + " seed " + std::to_string(seed));
      ASSERT_NO_FATAL_FAILURE(ExpectTurns(SolveInSteps(clip, plan, choice, 21),
                                          OracleOf(clip), choice));
    }
  }
}

// Fails where the code does not know what the CPU has, and says which targets
// the other tests left out.
#if defined(__x86_64__)
TEST(FkTargets, Vector128IsTested) {
  if (!__builtin_cpu_supports("sse4.1") || !__builtin_cpu_supports("pclmul")) {
    GTEST_SKIP() << "SKIPPED: this CPU has no SSE4; its poses are not tested";
  }
  EXPECT_TRUE(IsSupported(FkTarget::kVector128));
}

TEST(FkTargets, Avx2IsTested) {
  if (!__builtin_cpu_supports("avx2")) {
    GTEST_SKIP() << "SKIPPED: this CPU has no AVX2; its poses are not tested";
  }
  EXPECT_TRUE(IsSupported(FkTarget::kAvx2));
}

TEST(FkTargets, Avx512IsTested) {
  if (!__builtin_cpu_supports("avx512vl")) {
    GTEST_SKIP() << "SKIPPED: this CPU has no AVX-512; its poses are not "
                    "tested";
  }
  EXPECT_TRUE(IsSupported(FkTarget::kAvx512));
}

TEST(Arrays, Avx2AndAvx512GiveTheSameBits) {
  if (!IsSupported(FkTarget::kAvx512)) {
    GTEST_SKIP() << "SKIPPED: this CPU has no AVX-512";
  }
  const Clip clip = RandomClip({}, 41, 640);
  const Plan plan = MakePlan(clip.skeleton, {});
  for (const RotationKind kind : kKinds) {
    const Solved narrow =
        SolveInSteps(clip, plan, {FkTarget::kAvx2, kind, {}, true}, 41);
    const Solved wide =
        SolveInSteps(clip, plan, {FkTarget::kAvx512, kind, {}, true}, 41);
    EXPECT_EQ(narrow.positions, wide.positions);
    EXPECT_EQ(narrow.world_rotations, wide.world_rotations);
    EXPECT_EQ(narrow.local_rotations, wide.local_rotations);
  }
}
#elif defined(__aarch64__)
TEST(FkTargets, NeonIsTested) {
  EXPECT_TRUE(IsSupported(FkTarget::kVector128));
}
#endif

TEST(FkTargets, TheBestIsTheLastThatIsSupported) {
  FkTarget best = FkTarget::kReference;
  for (const FkTarget target : kTargets) {
    if (IsSupported(target)) best = target;
  }
  EXPECT_EQ(BestFkTarget(), best);
  EXPECT_TRUE(IsSupported(FkTarget::kReference));
}

TEST(FkTargets, HaveNames) {
  EXPECT_EQ(FkTargetName(FkTarget::kReference), "reference");
  EXPECT_EQ(FkTargetName(FkTarget::kVector128), "vector128");
  EXPECT_EQ(FkTargetName(FkTarget::kAvx2), "avx2");
  EXPECT_EQ(FkTargetName(FkTarget::kAvx512), "avx512");
}

TEST(Arrays, PlacesOutsideTheArrayAreInvalid) {
  const Clip clip = SmallLeg(5);
  const Plan plan = MakePlan(clip.skeleton, {});
  std::vector<float> out(8 * 3 * 3);
  FkJob job;
  job.plan = &plan;
  job.frames = 5;
  job.values = clip.motion.values;
  job.array_frames = 8;
  job.positions = out;
  for (const auto& [first, good] : {std::pair<int64_t, bool>{0, true},
                                    {3, true},
                                    {4, false},
                                    {-1, false}}) {
    job.first_frame = first;
    EXPECT_EQ(job.Validate().ok(), good) << first;
  }
  job.first_frame = 0;
  job.array_frames = 4;
  EXPECT_FALSE(job.Validate().ok());
}

// Velocities of `clip`, `step` frames at a time.
std::vector<float> Velocities(const Clip& clip, TensorLayout layout,
                              bool with_end_sites, int64_t step) {
  const Plan plan = MakePlan(clip.skeleton, {});
  const int64_t frames = clip.motion.frames;
  std::vector<float> out(
      static_cast<size_t>(frames * RowsOf(plan, with_end_sites) * 3), NAN);
  UninitializedVector<float> scratch;
  for (int64_t first = 0; first < frames; first += step) {
    VelocityJob job;
    job.plan = &plan;
    job.frames = std::min(step, frames - first);
    job.has_before = first > 0;
    job.has_after = first + job.frames < frames;
    const int64_t from = first - (job.has_before ? 1 : 0);
    const int64_t to = first + job.frames + (job.has_after ? 1 : 0);
    job.values = std::span(clip.motion.values)
                     .subspan(static_cast<size_t>(from * plan.columns),
                              static_cast<size_t>((to - from) * plan.columns));
    job.frame_time = clip.motion.frame_time;
    job.with_end_sites = with_end_sites;
    job.layout = layout;
    job.array_frames = frames;
    job.first_frame = first;
    job.velocities = out;
    job.scratch = &scratch;
    EXPECT_TRUE(job.Validate().ok()) << job.Validate();
    job.Run();
  }
  return out;
}

// How far the oracle's node moves in a second around `frame`.
double SpeedOf(const OracleClip& clip, size_t node, int axis, size_t frame,
               double frame_time) {
  const size_t from = frame > 0 ? frame - 1 : frame;
  const size_t to = frame + 1 < clip.frames ? frame + 1 : frame;
  if (from == to) return 0;
  const double p = SolveOracle(clip, from, {}).world[node].at[axis][3];
  const double q = SolveOracle(clip, to, {}).world[node].at[axis][3];
  return (q - p) / (static_cast<double>(to - from) * frame_time);
}

TEST(Velocities, AreThoseOfTheOracle) {
  for (const int64_t frames : {1, 2, 3, 20}) {
    Clip clip = RandomClip({}, frames, 700 + static_cast<uint64_t>(frames));
    clip.motion.frame_time = 1.0 / 60;
    const OracleClip oracle = OracleOf(clip);
    const auto out = Velocities(clip, TensorLayout::kFrameMajor, true, frames);
    size_t at = 0;
    for (size_t frame = 0; frame < oracle.frames; ++frame) {
      const double size = SizeOf(oracle, SolveOracle(oracle, frame, {}));
      // Two positions, each as good as positions are, in 1/60 s or more.
      const double tolerance = 4e-6 * 60 * std::max(size, 1.0);
      for (size_t node = 0; node < oracle.nodes.size(); ++node) {
        for (int axis = 0; axis < 3; ++axis) {
          ASSERT_NEAR(out[at++], SpeedOf(oracle, node, axis, frame, 1.0 / 60),
                      tolerance)
              << frames << " frames, frame " << frame << ", node " << node;
        }
      }
    }
  }
}

TEST(Velocities, PiecesAndLayoutsHoldTheSameNumbers) {
  Clip clip = RandomClip({}, 40, 710);
  clip.motion.frame_time = 0.01;
  for (const bool end_sites : {false, true}) {
    const auto whole =
        Velocities(clip, TensorLayout::kFrameMajor, end_sites, 40);
    for (const int64_t step : {1, 2, 7, 40}) {
      SCOPED_TRACE(step);
      EXPECT_EQ(Velocities(clip, TensorLayout::kFrameMajor, end_sites, step),
                whole);
      EXPECT_EQ(FrameMajor(Velocities(clip, TensorLayout::kJointMajor,
                                      end_sites, step),
                           40, 3),
                whole);
    }
  }
}

TEST(Velocities, NeedARate) {
  const Clip clip = SmallLeg(2);
  const Plan plan = MakePlan(clip.skeleton, {});
  std::vector<float> out(2 * 3 * 3);
  UninitializedVector<float> scratch;
  VelocityJob job;
  job.plan = &plan;
  job.frames = 2;
  job.values = clip.motion.values;
  job.velocities = out;
  job.scratch = &scratch;
  EXPECT_FALSE(job.Validate().ok());
  job.frame_time = NAN;
  EXPECT_FALSE(job.Validate().ok());
  job.frame_time = 0.5;
  EXPECT_TRUE(job.Validate().ok());
}

TEST(Velocities, NeedRoomForAllOfThem) {
  const Clip clip = SmallLeg(2);
  const Plan plan = MakePlan(clip.skeleton, {});
  std::vector<float> out(2 * 3 * 3);
  UninitializedVector<float> scratch;
  VelocityJob job;
  job.plan = &plan;
  job.frames = 2;
  job.values = clip.motion.values;
  job.frame_time = 0.5;
  job.scratch = &scratch;
  EXPECT_FALSE(job.Validate().ok());
  job.velocities = std::span(out).first(out.size() - 1);
  EXPECT_FALSE(job.Validate().ok());
  job.velocities = out;
  EXPECT_TRUE(job.Validate().ok());
  job.frames = -1;
  EXPECT_FALSE(job.Validate().ok());
  job.frames = 2;
  job.scratch = nullptr;
  EXPECT_FALSE(job.Validate().ok());
}

}  // namespace
}  // namespace bvhmill::testing
