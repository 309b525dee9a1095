#pragma once

// Codes of rotations where rounding each component is not good enough: w is not
// stored, so that near half a turn a step of a code may be worth 0.9 degrees.
// Private to anim/.

#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/fit/key_choice.h"
#include "bvhmill/base/work_meter.h"

namespace bvhmill {

// What the viewer makes of the codes that are nearest to `q`, a quaternion of
// about length 1. Far from half a turn each component is rounded; near it the
// codes around are searched, too, up to 8 to each side. Then it is mostly off
// by less than 0.05 degrees; where components are nearly 0 or alike, by up to
// 0.45, since no codes are nearer.
//
// Cost: 5 ns; where codes are searched 100 ns to 2 us, which is counted on
// `work`, if it is not null.
Quat<float> NearestRotation(const Quat<float>& q, WorkMeter* work = nullptr);

// The nearest of all codes up to `reach` to each side of the rounded ones; the
// twin of the search in NearestRotation. Cost: (2 reach + 1)^3.
Quat<float> NearestRotationOfAll(const Quat<float>& q, int reach);

// Two keys, just before frame `b` and just behind it, between which the viewer
// plays `q` at the frame: what one key cannot say a blend of two can. Returns
// the square of the chord that it is off; infinity if there is no room for two
// keys, which is so at both ends and where frames are fewer than 8 codes apart.
// Cost: 1 us, or 30 us where many pairs are tried; it is counted on `work`, if
// it is not null.
float PairAt(const Quat<float>& q, const FrameTimes& times, size_t b,
             FitKey<Quat<float>>* pair, WorkMeter* work = nullptr);

}  // namespace bvhmill
