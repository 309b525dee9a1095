// The measures of a clip by a slow computation, in double precision: all poses
// by 4x4 matrices, all rotations by 3x3 matrices.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tests/support/oracle.h"

namespace bvhmill::testing {

using Place = std::array<double, 3>;

struct SlowMeasures {
  Place least;
  Place greatest;
  double root_path = 0;
  double longest_step = 0;
  double loop_degrees = 0;
  double loop_distance = 0;
  std::vector<double> degrees;
};

// Needs a frame or more.
SlowMeasures MeasureSlowly(const OracleClip& clip);

double ValueOf(const OracleClip& clip, size_t frame, size_t column);
// The world position of a node.
Place PlaceIn(const OraclePose& pose, size_t node);
double Distance(const Place& a, const Place& b);

}  // namespace bvhmill::testing
