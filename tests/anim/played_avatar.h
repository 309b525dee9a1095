#pragma once

// The avatar as a viewer plays it: the positions of its joints at a time. It
// uses matrices in double precision, unlike the conversion.

#include <string_view>
#include <vector>

#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/math/linear.h"

namespace bvhmill::testing {

// In the axes of the avatar: X ahead, Y left, Z up; metres from mRoot.
class PlayedAvatar {
 public:
  // `motion` without joints is the avatar at rest. Positions do not count.
  PlayedAvatar(const AnimMotion& motion, float seconds);

  const Vec3<double>& At(std::string_view joint) const;
  const Mat3<double>& TurnOf(std::string_view joint) const;

 private:
  std::vector<Mat3<double>> turns_;
  std::vector<Vec3<double>> places_;
};

}  // namespace bvhmill::testing
