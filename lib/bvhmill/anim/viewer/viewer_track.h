#pragma once

// The values of one joint over all frames, in arrays, for the viewer's import.
// Private to anim/.

#include <array>
#include <cstdint>
#include <vector>

#include "bvhmill/anim/viewer/viewer_take.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/base/work_meter.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

using FloatArray = UninitializedVector<float>;

// Reused from joint to joint. All arrays have one entry for each frame.
struct ViewerTrack {
  // The rotation x, y, z, w that the channels give.
  std::array<FloatArray, 4> rotation;
  // The unit vectors X and Y after this rotation.
  std::array<FloatArray, 3> axis_x;
  std::array<FloatArray, 3> axis_y;
  // Position; empty if the joint has none.
  std::array<FloatArray, 3> position;
};
// The most bytes for each frame of a track and its ViewerKeys.
inline constexpr int64_t kViewerFrameBytes = 54;

// The number of frames between two checks of the budget.
inline constexpr size_t kViewerBlock = 1024;

inline Quat<float> RotationAt(const ViewerTrack& track, size_t frame) {
  return {track.rotation[0][frame], track.rotation[1][frame],
          track.rotation[2][frame], track.rotation[3][frame]};
}
inline Vec3<float> VectorAt(const std::array<FloatArray, 3>& vectors,
                            size_t frame) {
  return {vectors[0][frame], vectors[1][frame], vectors[2][frame]};
}

// Fills `track` with the values of `joint`. `take` must have frames. Spends
// about 32 units, which are nanoseconds, for each frame on `work`. Returns
// early if `work` refuses.
void FillViewerTrack(const ViewerTake& take, const ViewerJoint& joint,
                     ViewerTrack* track, WorkMeter* work);

// The frames of a joint that become keys: 1, else 0.
struct ViewerKeys {
  std::vector<uint8_t> keep_rotation;
  std::vector<uint8_t> keep_position;
  // False: the joint is left out.
  bool moves = false;
};

// Chooses keys as the viewer does. `depth` is that of the joint. Spends about
// 20 units for each frame on `work`. Returns early if `work` refuses.
void ChooseViewerKeys(const ViewerTrack& track, int64_t frames, int32_t depth,
                      ViewerKeys* keys, WorkMeter* work);

}  // namespace bvhmill
