#pragma once

// Finds codes of rotations where rounding each component is not accurate
// enough. w is not stored: near half a turn one step of a code can be worth 0.9
// degrees. Private to anim/.

#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/fit/key_choice.h"
#include "bvhmill/base/work_meter.h"

namespace bvhmill {

// The decoded value of the codes that are nearest to `q`, a quaternion of about
// length 1. Far from half a turn each component is rounded. Near it,
// neighbouring codes are searched as well, up to 8 to each side. The error is
// then usually below 0.05 degrees. Where components are nearly 0, or nearly
// equal, it can be 0.45 degrees, since no codes are nearer.
//
// Cost: 5 ns; 100 ns to 2 us where codes are searched. The search is counted on
// `work`, if that is not null.
Quat<float> NearestRotation(const Quat<float>& q, WorkMeter* work = nullptr);

// The nearest of all codes up to `reach` to each side of the rounded ones: the
// slow twin of the search in NearestRotation. Cost: (2 reach + 1)^3.
Quat<float> NearestRotationOfAll(const Quat<float>& q, int reach);

// Makes two keys, just before frame `b` and just after it, between which the
// viewer plays `q` at the frame. A blend of two keys can represent rotations
// that one key cannot. Returns the square of the chord between the played
// rotation and `q`; infinity if there is no room for two keys: at both ends,
// and where neighbouring frames are fewer than 12 codes apart. Cost: 1 us, or
// 30 us where many pairs are tried, counted on `work`, if that is not null.
float PairAt(const Quat<float>& q, const FrameTimes& times, size_t b,
             FitKey<Quat<float>>* pair, WorkMeter* work = nullptr);

}  // namespace bvhmill
