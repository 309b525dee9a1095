#pragma once

// The joints that edits of roots act on, and these edits for a body root that
// is a JOINT below other joints. Its pose in the world is edited: the joints
// above it keep theirs, also if they move. So its position and its rotation in
// the file are those that give the wanted pose below its parent.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/space_edits.h"

namespace bvhmill {

// The body of one tree, as nodes.
struct Body {
  // The ROOT of the tree.
  int32_t root = 0;
  // The body root: see skeletons/body_root.h.
  int32_t node = 0;
  // The joint whose way shows whether the body moves: the hips; if they are not
  // known, the last joint of the trunk whose positions vary.
  int32_t hips = 0;
};

// The body of each ROOT, in file order. `skeleton` has the names of the source,
// and `moving` is MovingColumns of the clip; if it is empty, each ROOT is its
// own body root. `stated` is the name of the body root, as NAME or NAME#2: the
// first joint of that name in each tree; empty if it is not stated.
// INVALID_ARGUMENT if there is no such joint, or it cannot carry a body. Draws
// the work from `budget`, which may be null.
absl::StatusOr<std::vector<Body>> FindBodies(std::string_view stated,
                                             const Skeleton& skeleton,
                                             std::span<const uint8_t> moving,
                                             JointPositions reading,
                                             Budget* budget);

// Where the edits put a body root: at `motion`, whose height is the coordinate
// `height`, and then with its axes exchanged.
struct BodyPlaces {
  RootMotion motion = RootMotion::kKeep;
  size_t height = 1;
  SignedAxes axes;
};

// Puts the body roots to their new places.
absl::Status PlaceBodies(std::span<const Body> bodies, const BodyPlaces& places,
                         Editing* editing);

// Turns the body roots by the correction of a RootAlignment: R' =
// R(correction) * R(motion) in the world. If the rotation channels of a body
// root are not an Euler sequence of three, Z X Y replace them. No change if the
// correction is 0.
absl::Status TurnBodies(std::span<const Body> bodies,
                        const std::array<double, 3>& degrees, Editing* editing);

// Puts the lowest joint or end site of the bodies, in any frame, at 0 along the
// coordinate `height`: moves all body roots by the same way. Values that are
// not finite do not count. INVALID_ARGUMENT if a body root has no position
// channel there. O(frames x nodes).
absl::Status PutOnFloor(std::span<const Body> bodies, size_t height,
                        Editing* editing);

// Logs EDIT_BODY_MOVES for each body that still moves although its root was put
// to `places`. O(frames x joints above the hips).
absl::Status LogMovingBodies(std::span<const Body> bodies,
                             const BodyPlaces& places, Editing* editing);

}  // namespace bvhmill
