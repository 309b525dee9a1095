#pragma once

// Compares every solver of the library with the oracle.

#include <vector>

#include "bvhmill/kinematics/fk_job.h"
#include "tests/support/oracle.h"

namespace bvhmill::testing {

// The largest allowed differences to the oracle: positions relative to the size
// of the figure, rotations for each entry of their matrix.
struct Tolerance {
  double position = 0;
  double rotation = 0;
};

// Poses solved in double and stored as float, and solved by vectors of floats
// (docs/conventions.md).
inline constexpr Tolerance kDoubleTolerance = {1e-6, 1e-6};
inline constexpr Tolerance kVectorTolerance = {1e-6, 4e-6};
inline constexpr Tolerance kFloatTolerance = {1e-5, 1e-5};

// All outputs of one job.
struct Solved {
  std::vector<float> positions;
  std::vector<float> world_rotations;
  std::vector<float> local_rotations;
};

enum class Solver {
  kRun,
  kReferenceDouble,
  kReferenceFloat,
  kVector128,
  kAvx2,
  kAvx512,
};

// Solves `clip` whole.
Solved Solve(const Clip& clip, const Conventions& conventions,
             bool with_end_sites, Solver solver);

// Fails the test if `solved` differs from the oracle's result for `clip`.
void ExpectAsOracle(const Solved& solved, const OracleClip& clip,
                    const Conventions& conventions, bool with_end_sites,
                    const Tolerance& tolerance);

// Every solver, with and without end sites.
void CheckAllSolvers(const Clip& clip, const Conventions& conventions);

// All readings of BVH.
std::vector<Conventions> AllConventions();

}  // namespace bvhmill::testing
