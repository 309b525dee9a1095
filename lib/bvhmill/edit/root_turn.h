#pragma once

// The part of a root alignment that turns: R' = R(correction) * R(motion),
// written in the channels of the root.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {

// How one root is turned, and what its angles were last.
struct RootTurn {
  // A rotation channel as it was: its axis, and its value by a row before the
  // columns are mapped.
  struct Term {
    int axis = 0;
    ColumnSource column;
  };
  // The motion, outermost first.
  std::vector<Term> terms;
  // The channels of the result and their columns in an edited row.
  EulerAxes axes = {2, 0, 1};
  std::array<int32_t, 3> columns = {};
  Mat3<double> correction = Identity<double>();
  // Angles are chosen next to these; they follow the motion.
  EulerAngles previous = {};
};

// The correction, degrees about X, Y, Z: Rz * Rx * Ry.
Mat3<double> CorrectionOf(const std::array<double, 3>& degrees);

// A turn for each root. A root whose rotation channels are not an Euler
// sequence of three gets Z X Y in place of them, so its columns and those
// behind it move. O(nodes + columns).
std::vector<RootTurn> TurnRoots(const std::array<double, 3>& degrees,
                                EditedSkeleton* edited);

// Writes the angles of one frame into `out`, an edited row; `row` is the one
// that its columns are mapped from. Frames must come in order.
void TurnRow(std::span<const float> row, RootTurn* turn, std::span<float> out);

}  // namespace bvhmill
