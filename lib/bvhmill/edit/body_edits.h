#pragma once

// The joints that edits of roots act on, and these edits for a body root that
// is a JOINT below other joints. Its pose in the world is edited: the joints
// above it keep theirs, also if they move. So its position and its rotation in
// the file are those that give the wanted pose below its parent.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/math/linear.h"

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

// The body of each ROOT, in file order. `edited` has the names of the source,
// and `moving` is MovingColumns of the source; if it is empty, each ROOT is its
// own body root. `stated` is the name of the body root, as NAME or NAME#2: the
// first joint of that name in each tree; empty if it is not stated.
// INVALID_ARGUMENT if there is no such joint, or it cannot carry a body. Draws
// the work from `budget`, which may be null.
absl::StatusOr<std::vector<Body>> FindBodies(std::string_view stated,
                                             const EditedSkeleton& edited,
                                             std::span<const uint8_t> moving,
                                             JointPositions reading,
                                             Budget* budget);

// The pose of a joint in the world.
struct JointPose {
  Mat3<double> turn = Identity<double>();
  Vec3<double> place = {};
};

// The joints above `node`, from the ROOT down.
std::vector<int32_t> JointsAbove(const Skeleton& skeleton, int32_t node);

// The pose of the last joint of `way` in a row, from those of the joints above:
// `way` begins at a ROOT. Identity if it is empty. O(joints of the way).
JointPose WorldPoseOf(const Skeleton& skeleton, const Conventions& conventions,
                      std::span<const int32_t> way, std::span<const float> row);

// Where the edits put a body root: at `motion`, whose height is the coordinate
// `height`, and then with its axes exchanged.
struct BodyPlaces {
  RootMotion motion = RootMotion::kKeep;
  size_t height = 1;
  SignedAxes axes;
};

// False if all body roots stay where they are.
bool MovesPlaces(const BodyPlaces& places);

// Puts `node`, a JOINT with three position channels below the pose `above`, to
// its new place in `row`.
void PlaceBody(const Skeleton& skeleton, const Conventions& conventions,
               const BodyPlaces& places, const JointPose& above, int32_t node,
               std::span<float> row);

// The least coordinate `height` of a body root or a node below one in any row;
// values that are not finite do not count. Infinite if there is none.
// O(frames x nodes).
double LowestPlace(const Clip& clip, const Conventions& conventions,
                   std::span<const Body> bodies, size_t height);

// Moves the body roots along the coordinate `height` by `way`, in all rows.
// INVALID_ARGUMENT if a body root has no position channel there. O(frames x
// joints above them).
absl::Status RaiseBodies(std::span<const Body> bodies,
                         const Conventions& conventions, size_t height,
                         double way, Clip* clip);

// How far `node` goes: the diagonal of the box around all its places. In place,
// the coordinate `height` does not count. O(frames x joints above the node).
double WayOf(const Clip& clip, const Conventions& conventions,
             const BodyPlaces& places, int32_t node);

}  // namespace bvhmill
