#pragma once

// A constraint of an .anim.

#include <array>
#include <cstdint>
#include <string>

namespace bvhmill {

// With more constraints, the viewer reads none of them.
inline constexpr int32_t kMaxAnimConstraints = 10;

// Holds a collision volume at a place while the animation plays.
struct AnimConstraint {
  uint8_t chain_length = 0;
  // 0 point, 1 plane.
  uint8_t type = 0;
  std::string source_volume;
  std::array<float, 3> source_offset = {};
  // A collision volume or GROUND.
  std::string target_volume;
  std::array<float, 3> target_offset = {};
  std::array<float, 3> target_direction = {};
  // Seconds.
  float ease_in_start = 0;
  float ease_in_stop = 0;
  float ease_out_start = 0;
  float ease_out_stop = 0;

  friend bool operator==(const AnimConstraint&,
                         const AnimConstraint&) = default;
};

}  // namespace bvhmill
