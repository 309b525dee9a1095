#pragma once

// Poses between the frames of a clip.

#include <cstdint>
#include <optional>
#include <span>

#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"

namespace bvhmill {

// Places nearer to a frame than this part of a frame are that frame, so that
// the rounding of times does not blend frames that are meant.
inline constexpr double kFrameTolerance = 1e-6;

// Fills `out` with the pose that is the part `u` (0..1) of the way from row `a`
// to row `b`. All are rows of `skeleton`.
//
// Positions and scales go straight. Rotations of a joint whose rotation
// channels are an Euler sequence of three go by slerp, the shortest way, and
// are written as the angles nearest to those that kLerpAngle gives; angles that
// are equal in both rows stay as they are. Other rotations, and all with
// kLerpAngle, go the shortest way channel by channel.
// O(nodes + columns), no memory.
void BlendPoses(const Skeleton& skeleton, std::span<const float> a,
                std::span<const float> b, double u, Interpolation interpolation,
                std::span<float> out);

// Fills `out` with the pose at `seconds` of a clip of `frames` >= 1 rows, one
// every `frame_time` > 0 seconds, the first at 0. Before the first and behind
// the last it is theirs; at the time of a frame it is that row, bit for bit.
// `values` are frames x columns. Cost as BlendPoses.
void SamplePose(const Skeleton& skeleton, std::span<const float> values,
                int64_t frames, double frame_time, double seconds,
                Interpolation interpolation, std::span<float> out);

// A new rate for a clip: frame k of the result is at k / fps.
struct Resampling {
  double fps = 0;
  double frame_time = 0;
};

// Where frame `k` of the result is, in frames of the source.
inline double PlaceOfFrame(const Resampling& rate, int64_t k) {
  return static_cast<double>(k) / rate.fps / rate.frame_time;
}

// The end rule: frame k is part of the result if it is not behind the last of
// `frames` frames of the source.
inline bool IsWithin(const Resampling& rate, int64_t k, int64_t frames) {
  return PlaceOfFrame(rate, k) <=
         static_cast<double>(frames - 1) + kFrameTolerance;
}

// How many frames of the result there are, by that rule; 0 for no frames, none
// if it is more than `most` (which is 2^53 at most).
std::optional<int64_t> ResampledFrames(const Resampling& rate, int64_t frames,
                                       int64_t most);

}  // namespace bvhmill
