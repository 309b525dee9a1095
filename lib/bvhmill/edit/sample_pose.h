#pragma once

// Computes poses between the frames of a clip.

#include <cstdint>
#include <optional>
#include <span>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/edit/clip_edits.h"

namespace bvhmill {

// A place that is nearer to a frame than this, in frames, is that frame: more
// than the rounding of a place, and less than the distance to the next place
// below 500,000 frames a second.
inline constexpr double kFrameTolerance = 1e-9;

// Fills `out` with a pose between two rows: `u` = 0 is row `a`, `u` = 1 is row
// `b`. All three are rows of `skeleton`.
//
// Positions and scales are interpolated linearly. If the rotation channels of a
// joint are an Euler sequence of three, its rotation is interpolated by slerp,
// the shortest way, and written as the angles that are nearest to those of
// kLerp; if the three angles are equal in both rows, they are kept. Other
// rotations, and all rotations with kLerp, take the shortest way channel
// by channel. O(nodes + columns); allocates nothing.
void BlendPoses(const Skeleton& skeleton, std::span<const float> a,
                std::span<const float> b, double u, Interpolation interpolation,
                std::span<float> out);

// As BlendPoses, but fills only the columns of `node`. O(its channels).
void BlendNode(const Skeleton& skeleton, const Node& node,
               std::span<const float> a, std::span<const float> b, double u,
               Interpolation interpolation, std::span<float> out);

// Fills `out` with the pose at `place` of a clip of `frames` >= 1 rows, where
// 1.5 is halfway between row 1 and row 2. Before the first row the pose is the
// first row, after the last row it is the last. At a row it is that row, bit
// for bit. `values` are frames x columns. Cost as BlendPoses.
void SamplePose(const Skeleton& skeleton, std::span<const float> values,
                int64_t frames, double place, Interpolation interpolation,
                std::span<float> out);

// A change of the rate: `from` frames of the source take the time of `to`
// frames of the result. Both are integers if the ratio of the rates is one of
// integers: places and counts are then exact.
struct Resampling {
  double from = 1;
  double to = 1;
};

// The change from one rate to another, in frames a second, both above 0. A
// whole rate, a half of one, and 1 / 1.001 of these give integers.
Resampling ResamplingOf(double from_rate, double to_rate);

// The position of frame `k` of the result, in frames of the source.
inline double PlaceOfFrame(const Resampling& rate, int64_t k) {
  return static_cast<double>(k) * rate.from / rate.to;
}

// The end rule: frame `k` is part of the result if it is not after the last of
// the `frames` source frames.
inline bool IsWithin(const Resampling& rate, int64_t k, int64_t frames) {
  return PlaceOfFrame(rate, k) <=
         static_cast<double>(frames - 1) + kFrameTolerance;
}

// The number of frames of the result, by the end rule: floor((frames - 1) * to
// / from) + 1. 0 if the source has no frames, none if the result exceeds
// `most`, which is at most 2^53.
std::optional<int64_t> ResampledFrames(const Resampling& rate, int64_t frames,
                                       int64_t most);

}  // namespace bvhmill
