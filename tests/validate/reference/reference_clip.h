#pragma once

// A clip as the slow twin of the motion rules sees it: all steps and kinks.

#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/math/linear.h"

namespace bvhmill::testing {

// The rotation channels or the position channels of a joint over all frames.
// Angles are in degrees, positions in shares of the reach.
struct ReferenceTrack {
  bool is_rotation = true;
  int32_t node = 0;
  std::vector<int32_t> columns;
  // A unit quaternion, or a position as x, y, z with w = 0; by frame.
  std::vector<Quat<double>> poses;
  // The step to each frame, 0 for frame 0; the kink at each frame, 0 for the
  // first and the last one; true if the joint turns back there.
  std::vector<double> steps;
  std::vector<double> kinks;
  std::vector<bool> turns_back;
  // From the frame before to the frame after.
  std::vector<double> returns;

  double Step(int64_t t) const { return At(steps, t); }
  double Kink(int64_t t) const { return At(kinks, t); }
  double MeanStep() const;

 private:
  static double At(const std::vector<double>& list, int64_t t) {
    const auto i = static_cast<size_t>(t);
    return t < 0 || i >= list.size() ? 0 : list[i];
  }
};

// The longest way from a root to a node: along offsets, and along positions
// that replace them and keep their length.
double ReachOf(const Clip& clip);

struct ReferenceClip {
  const Clip* clip = nullptr;
  int64_t frames = 0;
  double dt = 0;
  double reach = 0;
  // Rotations, then positions.
  std::vector<ReferenceTrack> tracks;
  // Row t is equal to row t - 1.
  std::vector<bool> repeats;
  // It is so apart from the channels of node 0, and not as a whole.
  std::vector<bool> repeats_pose;

  std::vector<const ReferenceTrack*> Rotations() const;
  double Value(int64_t t, int32_t column) const;
  // As the file states it.
  double frame_time() const { return clip->motion.frame_time; }
  // It states a rate, and `dt` is another.
  bool HasOddRate() const { return frame_time() > 0 && dt != frame_time(); }
};

ReferenceClip MakeReferenceClip(const Clip& clip);

// The distance of two poses of a track: an angle as twice the chord, or a
// length.
double DistanceOf(const ReferenceTrack& track, const Quat<double>& a,
                  const Quat<double>& b);

}  // namespace bvhmill::testing
