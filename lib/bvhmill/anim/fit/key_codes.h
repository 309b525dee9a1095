#pragma once

// Finds the keys that are nearest to the frames of a curve, as the viewer
// decodes their codes. All values here are decoded ones: RoundU16 returns their
// codes.
//
// Codes of times are truncated, so a key is a little before its frame. Codes of
// rotations do not store w: near half a turn one step of a code can be worth
// 0.9 degrees, and rounding each component is not accurate enough. Neighbouring
// codes are then searched, or a frame gets two keys.
//
// The work of searches is counted on `work`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// The times of the frames and of their keys, in seconds.
struct FrameTimes {
  float duration = 0;
  FloatArray frame;
  std::vector<uint16_t> code;
  // The decoded time of each code: at the frame or a little before it.
  FloatArray key;
  // How much earlier a key is than its frame, in frames.
  FloatArray early;
};

// Frame i of `count` is at i * duration / (count - 1).
FrameTimes MakeFrameTimes(int64_t count, float duration);

// The value that is nearest to `p`.
Vec3<float> NearestPosition(const Vec3<float>& p);

// The value that is nearest to `q`, a quaternion of about length 1. Far from
// half a turn each component is rounded. Near it, up to 8 neighbouring codes to
// each side are searched as well. The error is then usually below 0.05 degrees.
// Where components are nearly 0, or nearly equal, it can be 0.45 degrees, since
// no codes are nearer. `work` may be null.
//
// Cost: 5 ns; 100 ns to 2 us where codes are searched.
Quat<float> NearestRotation(const Quat<float>& q, WorkMeter* work = nullptr);

// The nearest of all codes up to `reach` to each side of the rounded ones: the
// slow twin of the search in NearestRotation. Cost: (2 reach + 1)^3.
Quat<float> NearestRotationOfAll(const Quat<float>& q, int reach);

inline Quat<float> QuatAt(const std::array<FloatArray, 4>& q, size_t i) {
  return {q[0][i], q[1][i], q[2][i], q[3][i]};
}

// Sets `decoded` to the value of a key at each frame of `curve`. A key is a
// little before its frame: its value is such that the line to the next frame
// goes through its own frame. Returns early if `work` refuses.
void DecodeRotationKeys(const RotationCurve& curve, const FrameTimes& times,
                        std::array<FloatArray, 4>* decoded, WorkMeter* work);
// The same for positions, in the first three arrays. Does not return early.
void DecodePositionKeys(const PositionCurve& curve, const FrameTimes& times,
                        std::array<FloatArray, 4>* decoded, WorkMeter* work);

// One end of a line between keys.
template <typename Value>
struct KeyEnd {
  Value value = {};
  uint16_t code = 0;
  // The decoded time of the code, in seconds.
  float time = 0;
};

// A frame with a key: one line ends at `in`, and the next begins at `out`.
// Usually both are the same key. Where one key cannot hold the value of the
// frame, they are two, one before the frame and one after it.
template <typename Value>
struct FitKey {
  size_t frame = 0;
  KeyEnd<Value> in;
  KeyEnd<Value> out;
  bool is_pair = false;
};

// Makes two keys, just before frame `b` and just after it, between which the
// viewer plays `q` at the frame. A blend of two keys can represent rotations
// that one key cannot. Returns the square of the chord between the played
// rotation and `q`; infinity if there is no room for two keys: at both ends,
// and where neighbouring frames are fewer than 12 codes apart, so pairs do
// not overlap. `work` may be null.
//
// Cost: 1 us, or 30 us where many pairs are tried.
float PairAt(const Quat<float>& q, const FrameTimes& times, size_t b,
             FitKey<Quat<float>>* pair, WorkMeter* work = nullptr);

}  // namespace bvhmill
