#pragma once

// Makes the pose of a frame the rest pose of a clip, such as the T-pose before
// the motion.

#include "absl/status/status.h"
#include "bvhmill/edit/editing.h"

namespace bvhmill {

// Makes the pose of `frame` the rest pose: its OFFSETs give that pose, and all
// rotations are 0 in that frame. Each joint keeps its place in the world in
// every frame. With W the rotation of a joint in the world, and N the frame:
//
//   W'(t) = W(t) * W(N)^-1      OFFSET' = W_parent(N) * place(N)
//
// A joint whose rotation channels are not an Euler sequence of three gets Z X Y
// if it turns; a joint with one or two position channels gets all three. The
// OFFSET of a ROOT stays. INVALID_ARGUMENT if the clip does not have the frame,
// or a value of it is not finite. O(frames x nodes).
absl::Status RestAtFrame(int64_t frame, Editing* editing);

}  // namespace bvhmill
