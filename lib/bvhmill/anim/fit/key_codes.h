#pragma once

// The value of a key at each frame of a curve, rounded to the codes of the
// format. Private to anim/.

#include "bvhmill/anim/avatar/drive_curves.h"
#include "bvhmill/anim/fit/curve_fit.h"

namespace bvhmill {

// Sets workspace->decoded to the value of a key at each frame. A key is a
// little before its frame, since codes of times are truncated: its value is
// such that the line to the next frame goes through its own frame. Uses the
// nearest codes. Counts its work on workspace->work, and returns early if that
// refuses.
void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace);

// The same for positions. Each component is rounded. Does not return early.
void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        FitWorkspace* workspace);

// The decoded values of the codes that are nearest to `p`.
Vec3<float> NearestPosition(const Vec3<float>& p);

}  // namespace bvhmill
