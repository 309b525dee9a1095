#pragma once

// A BVH clip as the viewer's import sees it: joints with three rotations, and
// perhaps a position, in an order of columns of its own.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/anim/viewer/viewer_status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct ViewerJoint {
  // As in the BVH file.
  std::string name;
  // As the file states it; 6 means that three positions come first.
  int64_t channel_count = 3;
  // The axes (0, 1, 2) of the rotation, outermost first, and the column of the
  // angle of each; -1 for an angle of 0.
  std::array<int32_t, 3> axes = {};
  std::array<int32_t, 3> angle_columns = {-1, -1, -1};
  // The column of X, with Y and Z behind it; -1 if there are none.
  int32_t position_column = -1;
  // Joints on the longest way down from here: 0 for a leaf.
  int32_t depth = 0;
};

struct ViewerTake {
  // In the order of the file.
  std::vector<ViewerJoint> joints;
  int64_t frames = 0;
  // Seconds; whatever the file says.
  float frame_time = 0;
  // frames x columns.
  int64_t columns = 0;
  std::span<const float> values;
};

// The columns of `joint`, from `first` on, by the viewer's rule: with 6
// channels three positions, then in any case three rotations, about the axes
// that `letters` name. Axes that are named twice fall back to another order.
// Returns how many columns it takes.
int32_t SetColumns(const std::array<int32_t, 3>& letters, int32_t first,
                   ViewerJoint* joint);

// Sets the depths of joints from their parents, which come first; -1 for none.
void SetDepths(std::span<const int32_t> parents,
               std::vector<ViewerJoint>* joints);

// The viewer's view of a clip of `frames` frames with `skeleton`, without
// its values and its frame time; or the reason why the viewer refuses it, and
// `*node` the node where. Cost: O(joints).
ViewerStatus TakeFromSkeleton(const Skeleton& skeleton, int64_t frames,
                              ViewerTake* take, int32_t* node);

// The viewer's view of `clip`, whose values it borrows; or what the viewer says
// instead, and `*node` the node where. Text that ReadBvh repairs, but the
// viewer refuses, cannot be told from a clip: LoadViewerText looks at the text.
// Cost: O(joints).
ViewerStatus TakeFromClip(const Clip& clip, ViewerTake* take, int32_t* node);

}  // namespace bvhmill
