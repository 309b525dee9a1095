#pragma once

// What the keys of a curve would hold, at every frame, in codes. Private to
// anim/.

#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/avatar/drive_curves.h"

namespace bvhmill {

// Sets workspace->decoded. A key is a little early, since codes of times are
// truncated: it holds what makes the line to the next frame go through its
// frame. Codes are the nearest. Counts its work on workspace->work, and returns
// early once that refuses.
void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace);

// The same of positions.
void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace);

// What the codes that are nearest to `p` stand for.
Vec3<float> NearestPosition(const Vec3<float>& p);

}  // namespace bvhmill
