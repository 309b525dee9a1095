#pragma once

// A BVH clip as the viewer's import sees it: joints with three rotations and
// perhaps a position, with the viewer's own order of columns.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/anim/viewer/viewer_status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// Bytes of a name that the viewer keeps: the size of its buffer.
inline constexpr size_t kMaxViewerNameBytes = 79;

struct ViewerJoint {
  // The first word of the name in the file, cut to kMaxViewerNameBytes.
  std::string name;
  // As the file states it; 6 means that three positions come first.
  int64_t channel_count = 3;
  // The axes (0, 1, 2) of the rotation, outermost first, and the column of the
  // angle about each; -1 for an angle of 0.
  std::array<int32_t, 3> axes = {};
  std::array<int32_t, 3> angle_columns = {-1, -1, -1};
  // The column of X; those of Y and Z follow. -1 if there are no positions.
  int32_t position_column = -1;
  // The number of joints on the longest path down from here: 0 for a leaf.
  int32_t depth = 0;
};

struct ViewerTake {
  // In the order of the file, without end sites.
  std::vector<ViewerJoint> joints;
  int64_t frames = 0;
  // Seconds; any value that the file states.
  float frame_time = 0;
  // Values in a frame.
  int64_t columns = 0;
  // frames x columns.
  std::span<const float> values;
};

// Sets the columns of `joint`, from column `first` on, by the viewer's rule:
// if joint->channel_count is 6, three positions come first; then always three
// rotations, about the axes `letters`. If an axis is repeated, the order of
// axes is Z Y X, and the last column of the axis counts. Returns the number of
// columns.
int32_t SetColumns(const std::array<int32_t, 3>& letters, int32_t first,
                   ViewerJoint* joint);

// Sets the depths of joints, which must be 0, from their parents; -1 for no
// parent. Parents come before their children.
void SetDepths(std::span<const int32_t> parents,
               std::vector<ViewerJoint>* joints);

// The viewer's view of a clip with `skeleton` and `frames` frames, without
// values and frame time. If the viewer refuses the clip, returns the reason and
// sets `*node` to the node where it is found; `*take` is then incomplete. Else
// `*node` is undefined. Cost: O(nodes).
ViewerStatus TakeFromSkeleton(const Skeleton& skeleton, int64_t frames,
                              ViewerTake* take, int32_t* node);

// The viewer's view of `clip`. The values are not copied: `clip` must outlive
// `take`. Refusals and cost are those of TakeFromSkeleton. A clip does not show
// whether ReadBvh repaired text that the viewer refuses: LoadViewerText checks
// the text.
ViewerStatus TakeFromClip(const Clip& clip, ViewerTake* take, int32_t* node);

}  // namespace bvhmill
