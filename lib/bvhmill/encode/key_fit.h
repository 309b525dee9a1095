#pragma once

// Finds few keys for a curve, within a bound on the error, for players that go
// from key to key by slerp (rotations) or along a line (positions), as glTF
// does. A key has the value of the curve at its frame, so the error is 0 there;
// it is measured at every frame in between.
//
//   KeyFit fit;
//   fit.work = WorkMeter(budget);
//   fit.rotation.Resize(count);         // one entry for each frame
//   ...
//   FitRotationKeys(radians, &fit);     // sets fit.keys
//   if (!fit.work.ok()) return fit.work.Pay();
//
// The fitter of .anim (anim/fit/curve_fit.h) is another one: its keys are
// rounded to 16 bits, and its player blends quaternions by components.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/base/budget.h"

namespace bvhmill {

// Values of a curve, component by component.
template <size_t kComponents>
struct CurveValues {
  std::array<std::vector<float>, kComponents> of;

  void Resize(size_t count) {
    for (std::vector<float>& component : of) component.resize(count);
  }
  std::array<float, kComponents> At(size_t i) const {
    std::array<float, kComponents> out;
    for (size_t k = 0; k < kComponents; ++k) out[k] = of[k][i];
    return out;
  }
};

// A curve, its keys, and the meter of the work: memory that is reused from
// curve to curve. One thread at a time uses it.
struct KeyFit {
  // The place of each value in time, in frames: increasing whole numbers.
  std::vector<float> place;
  // Unit quaternions x y z w. Neighbours are on the same side: their dot
  // product is not negative.
  CurveValues<4> rotation;
  CurveValues<3> position;
  // The result: indices of values, increasing.
  std::vector<int32_t> keys;
  WorkMeter work;
};

// Bytes of memory of a KeyFit for each frame.
inline constexpr int64_t kKeyFitFrameBytes = 9 * sizeof(float);

// Set fit->keys so that the error at each of fit->place is at most `bound`:
// radians, or the unit of the positions. Values that all are within `bound` of
// the first one get one key; others begin and end with a key. With a bound of
// 0, values that are not all equal get a key each. Neighbours among the keys of
// a rotation are less than half a turn apart.
//
// Cost: each value is compared with about four lines. The work is counted on
// fit->work. If the budget refuses, the keys must not be used.
void FitRotationKeys(double bound, KeyFit* fit);
void FitPositionKeys(double bound, KeyFit* fit);

}  // namespace bvhmill
