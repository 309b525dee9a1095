#pragma once

// Joints that get another parent and keep their poses in the world: for edits
// that change the tree.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {

// A joint whose pose below its new parent is no longer what its own channels
// say.
struct Adopted {
  // Its nodes in the skeletons before and after the edit.
  int32_t before = 0;
  int32_t after = 0;
  // Its rotation below the new parent is another one.
  bool turns = false;
  // KeepPoses sets the following. Its place below the new parent in the first
  // frame, and whether it varies.
  Vec3<double> place = {};
  bool has_place = false;
  bool varies = false;
  // Its angles in the last frame.
  EulerAngles near = {};
};

// Sets, for the node `before` of each adopted joint, its pose below the new
// parent in a row of the clip before the edit. `poses` has one entry for each
// node before the edit; other entries may be used as memory.
using FindNewPoses =
    std::function<void(std::span<const float> row, std::span<JointPose> poses)>;

// Changes the clip to `edited`, whose joints `adopted` get the poses that
// `find` sets. If the place of a joint below its new parent is constant, it is
// its OFFSET; else the joint gets position channels, which EDIT_POSITIONS_ADDED
// logs. INVALID_ARGUMENT if the conventions ignore those. O(frames x nodes).
absl::Status KeepPoses(const MappedSkeleton& edited,
                       std::vector<Adopted> adopted, const FindNewPoses& find,
                       Editing* editing);

}  // namespace bvhmill
