#pragma once

// A clip in a few kilobytes: some poses as stick figures, and how much joints
// turn over time. Plain data for a page of reports.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bvhmill::client {

// A pose seen from the side: x to the right, y up. Units are those of the clip.
struct PosePicture {
  int64_t frame = 0;
  // One for each entry of ClipPicture::parents. NaN where a position is not
  // finite.
  std::vector<std::array<float, 2>> points;
};

// How much something turns from each frame to the next, in degrees, as the
// smallest and the largest value of ranges of frames. NaN where nothing is
// known.
struct TurnCurve {
  // Index into ClipInfo::joints; -1: the mean over all joints with rotations.
  int32_t joint = -1;
  // The name of the joint, as UTF-8.
  std::string name;
  std::vector<float> low;
  std::vector<float> high;
};

struct ClipPicture {
  // The parent of each point of a pose, as an index of a point; -1: none.
  std::vector<int32_t> parents;
  std::vector<PosePicture> poses;
  // The median over sampled frames of the extent along the up axis, in the unit
  // of the clip or in meters: see HasMeters. 0: unknown.
  float height = 0;
  // Frames that each value of a curve covers; the last may cover fewer.
  int64_t frames_per_value = 1;
  // The mean over all joints first.
  std::vector<TurnCurve> curves;
};

}  // namespace bvhmill::client
