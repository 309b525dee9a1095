#pragma once

// Turns the roots of a clip. This is the rotation part of a root alignment,
//
//   R' = R(correction) * R(motion)
//
// written to the rotation channels of the root.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {

// The turn of one root, and its last angles.
struct RootTurn {
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

// Makes a turn for each root. If the rotation channels of a root are not an
// Euler sequence of three, Z X Y replace them in `edited`, and the columns
// after them move. O(nodes + columns).
std::vector<RootTurn> TurnRoots(const std::array<double, 3>& degrees,
                                EditedSkeleton* edited);

// Writes the root angles of one frame into `out`, an edited row. `row` is the
// row from which the columns of `out` are mapped. Call it for the frames in
// order.
void TurnRow(std::span<const float> row, RootTurn* turn, std::span<float> out);

}  // namespace bvhmill
