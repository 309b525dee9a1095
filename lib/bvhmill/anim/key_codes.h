#pragma once

// What the keys of a curve would hold, at every frame, in codes. Private to
// anim/.

#include "bvhmill/anim/curve_fit.h"
#include "bvhmill/anim/drive_curves.h"

namespace bvhmill {

// Sets workspace->decoded. A key is a little early, since codes of times are
// truncated: it holds what makes the line to the next frame go through its
// frame. Codes are the nearest.
//
// If some keys are off by more than `limit` (the square of a chord between unit
// quaternions), workspace->allowed is what each frame may be off; else empty.
void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        float limit, FitWorkspace* workspace);

// The same of positions, without limits.
void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace);

}  // namespace bvhmill
