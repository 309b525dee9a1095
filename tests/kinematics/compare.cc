#include "tests/kinematics/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace bvhmill::testing {
namespace {

// The 3x3 of a unit quaternion xyzw, by Rodrigues' formula.
std::array<std::array<double, 3>, 3> MatrixOf(const float* q) {
  const double x = q[0];
  const double y = q[1];
  const double z = q[2];
  const double w = q[3];
  const double cross[3][3] = {{0, -z, y}, {z, 0, -x}, {-y, x, 0}};
  std::array<std::array<double, 3>, 3> m = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double squared = 0;
      for (int k = 0; k < 3; ++k) squared += cross[i][k] * cross[k][j];
      m[i][j] = (i == j ? 1 : 0) + 2 * w * cross[i][j] + 2 * squared;
    }
  }
  return m;
}

void ExpectPosition(const float* actual, const Matrix4& expected,
                    double tolerance) {
  for (int axis = 0; axis < 3; ++axis) {
    ASSERT_NEAR(actual[axis], expected.at[axis][3], tolerance)
        << "axis " << axis;
  }
}

void ExpectRotation(const float* actual, const Matrix4& expected,
                    double tolerance) {
  ASSERT_GE(actual[3], 0);
  const double norm = std::hypot(std::hypot(actual[0], actual[1]),
                                 std::hypot(actual[2], actual[3]));
  ASSERT_NEAR(norm, 1, tolerance);
  const auto matrix = MatrixOf(actual);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      ASSERT_NEAR(matrix[i][j], expected.at[i][j], tolerance) << i << j;
    }
  }
}

// An end site stands in the world as its parent does.
Matrix4 WorldRotation(const OracleClip& clip, const OraclePose& pose,
                      size_t node) {
  const OracleNode& of = clip.nodes[node];
  return of.end_site ? pose.world[of.parent] : pose.world[node];
}

void ExpectNode(const Solved& solved, size_t row, const OracleClip& clip,
                const OraclePose& pose, size_t node, double size,
                const Tolerance& tolerance) {
  ASSERT_NO_FATAL_FAILURE(ExpectPosition(
      &solved.positions[3 * row], pose.world[node], size * tolerance.position));
  ASSERT_NO_FATAL_FAILURE(ExpectRotation(&solved.world_rotations[4 * row],
                                         WorldRotation(clip, pose, node),
                                         tolerance.rotation));
  ASSERT_NO_FATAL_FAILURE(ExpectRotation(&solved.local_rotations[4 * row],
                                         pose.local[node], tolerance.rotation));
}

size_t RowsOf(const OracleClip& clip, bool with_end_sites) {
  size_t rows = 0;
  for (const OracleNode& node : clip.nodes) {
    if (with_end_sites || !node.end_site) ++rows;
  }
  return rows;
}

FkTarget TargetOf(Solver solver) {
  switch (solver) {
    case Solver::kRun:
      return BestFkTarget();
    case Solver::kVector128:
      return FkTarget::kVector128;
    case Solver::kAvx2:
      return FkTarget::kAvx2;
    case Solver::kAvx512:
      return FkTarget::kAvx512;
    default:
      return FkTarget::kReference;
  }
}

}  // namespace

Solved Solve(const Clip& clip, const Conventions& conventions,
             bool with_end_sites, Solver solver) {
  const Plan plan = MakePlan(clip.skeleton, conventions);
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.with_end_sites = with_end_sites;
  const auto rows =
      static_cast<size_t>(job.frames * RowsOf(plan, with_end_sites));
  Solved solved;
  solved.positions.resize(rows * 3, NAN);
  solved.world_rotations.resize(rows * 4, NAN);
  solved.local_rotations.resize(rows * 4, NAN);
  job.positions = solved.positions;
  job.world_rotations = solved.world_rotations;
  job.local_rotations = solved.local_rotations;
  EXPECT_TRUE(job.Validate().ok()) << job.Validate();
  job.target = TargetOf(solver);
  if (solver == Solver::kReferenceFloat) {
    SolveReference<float>(job);
  } else {
    job.Run();
  }
  return solved;
}

void ExpectAsOracle(const Solved& solved, const OracleClip& clip,
                    const Conventions& conventions, bool with_end_sites,
                    const Tolerance& tolerance) {
  const size_t rows = RowsOf(clip, with_end_sites);
  ASSERT_EQ(solved.positions.size(), clip.frames * rows * 3);
  ASSERT_EQ(solved.world_rotations.size(), clip.frames * rows * 4);
  ASSERT_EQ(solved.local_rotations.size(), clip.frames * rows * 4);
  size_t row = 0;
  for (size_t frame = 0; frame < clip.frames; ++frame) {
    const OraclePose pose = SolveOracle(clip, frame, conventions);
    const double size = std::max(SizeOf(clip, pose), 1.0);
    for (size_t node = 0; node < clip.nodes.size(); ++node) {
      if (clip.nodes[node].end_site && !with_end_sites) continue;
      ASSERT_NO_FATAL_FAILURE(
          ExpectNode(solved, row, clip, pose, node, size, tolerance))
          << "frame " << frame << ", node " << node;
      ++row;
    }
  }
}

void CheckAllSolvers(const Clip& clip, const Conventions& conventions) {
  const OracleClip oracle = OracleOf(clip);
  const std::pair<Solver, Tolerance> solvers[] = {
      {Solver::kRun, kVectorTolerance},
      {Solver::kReferenceDouble, kDoubleTolerance},
      {Solver::kReferenceFloat, kFloatTolerance},
      {Solver::kVector128, kVectorTolerance},
      {Solver::kAvx2, kVectorTolerance},
      {Solver::kAvx512, kVectorTolerance}};
  for (const auto& [solver, tolerance] : solvers) {
    if (!IsSupported(TargetOf(solver))) continue;
    for (const bool with_end_sites : {false, true}) {
      SCOPED_TRACE("solver " + std::to_string(static_cast<int>(solver)) +
                   (with_end_sites ? " with end sites" : ""));
      ASSERT_NO_FATAL_FAILURE(
          ExpectAsOracle(Solve(clip, conventions, with_end_sites, solver),
                         oracle, conventions, with_end_sites, tolerance));
    }
  }
}

std::vector<Conventions> AllConventions() {
  std::vector<Conventions> all;
  for (const auto joints :
       {JointPositions::kReplaceOffset, JointPositions::kAddToOffset,
        JointPositions::kIgnore}) {
    for (const auto root : {RootOffset::kReplaced, RootOffset::kAdded}) {
      all.push_back({joints, root});
    }
  }
  return all;
}

}  // namespace bvhmill::testing
