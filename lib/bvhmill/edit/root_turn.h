#pragma once

// Turns the body roots of a clip. This is the rotation part of a root
// alignment, in the world:
//
//   R' = R(correction) * R(motion)
//
// written to the rotation channels of the body root.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {

// The turn of one body root, and its last angles.
struct RootTurn {
  int32_t node = 0;
  // A rotation channel of the motion: its axis, and the source of its value in
  // a row whose columns are not mapped yet.
  struct Term {
    int axis = 0;
    ColumnSource column;
  };
  // The rotations of the motion, outermost first.
  std::vector<Term> terms;
  // The rotation channels of the result, and their columns in an edited row.
  EulerAxes axes = {2, 0, 1};
  std::array<int32_t, 3> columns = {};
  Mat3<double> correction = Identity<double>();
  // The last angles, in degrees. TurnRow chooses the angles that are nearest to
  // these, so that they do not jump from frame to frame.
  EulerAngles previous = {};
};

// The correction as a matrix, Rz * Rx * Ry, from degrees about X, Y, Z.
Mat3<double> CorrectionOf(const std::array<double, 3>& degrees);

// Makes a turn for each of `body_roots`, which ascend. If the rotation channels
// of one are not an Euler sequence of three, Z X Y replace them in `edited`,
// and the columns after them move. O(nodes + columns).
std::vector<RootTurn> TurnRoots(const std::array<double, 3>& degrees,
                                std::span<const int32_t> body_roots,
                                EditedSkeleton* edited);

// Writes the angles of the body root of one frame into `out`, an edited row.
// `row` is the row from which the columns of `out` are mapped, and `above` the
// rotation of the parent in the world. Call it for the frames in order.
void TurnRow(std::span<const float> row, const Mat3<double>& above,
             RootTurn* turn, std::span<float> out);

}  // namespace bvhmill
