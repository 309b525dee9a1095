#pragma once

// Numbers as text, for the data of the page: digits of 6 bits, which need no
// escapes in JSON. client/cli/report/page/2_nodes.js reads them.

#include <cstdint>
#include <span>
#include <string>

#include "client/cli/picture/clip_picture.h"

namespace bvhmill::client {

// Appends `value` with `digits` digits, the high digit first. The largest
// number, 64^digits - 1, means a gap. It is written for values outside of 0 to
// 64^digits - 2.
void PackNumber(int64_t value, int digits, std::string* out);

// One digit for each of `values`: 0 to `most` become 0 to 62, and larger values
// become 62. Values that are negative or not finite become gaps.
std::string PackCurve(std::span<const float> values, float most);

// The parents of a picture with two digits each; -1 becomes a gap.
std::string PackParents(std::span<const int32_t> parents);

// The scale that the poses of a picture share.
struct PoseScale {
  // The lowest y of all poses.
  float floor = 0;
  // Steps of a packed number for each unit of the clip.
  double steps_per_unit = 0;
};
// The scale with which the widest or highest of `poses` takes all steps.

PoseScale ScaleOf(std::span<const PosePicture> poses);

// x and y of each point with two digits each. The leftmost point of the pose
// has x = 0; the lowest point of all poses has y = 0.
std::string PackPose(const PosePicture& pose, const PoseScale& scale);

}  // namespace bvhmill::client
