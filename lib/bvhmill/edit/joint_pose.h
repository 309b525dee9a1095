#pragma once

// Poses of joints, read from rows and written to rows. All computations are in
// double precision.

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/math/euler.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// A rotation and a place: x -> place + turn * x.
struct JointPose {
  Mat3<double> turn = Identity<double>();
  Vec3<double> place = {};
};

// Units of work for the pose of a joint in a row.
inline constexpr int64_t kPoseWork = 200;

// Draws the memory of an edit that holds poses of all nodes.
absl::Status HoldPoses(const Editing& editing);

// The pose of a joint below its parent, in a row of `skeleton`.
JointPose LocalPose(const Skeleton& skeleton, const Conventions& conventions,
                    const Node& node, std::span<const float> row);

// Turns `pose`, that of the parent, into that of `node`.
void AddJoint(const Skeleton& skeleton, const Conventions& conventions,
              const Node& node, std::span<const float> row, JointPose* pose);

// The joints above `node`, from the ROOT down.
std::vector<int32_t> JointsAbove(const Skeleton& skeleton, int32_t node);

// The pose of the last joint of `way` in a row, from those of the joints above:
// `way` begins at a ROOT. Identity if it is empty. O(joints of the way).
JointPose WorldPoseOf(const Skeleton& skeleton, const Conventions& conventions,
                      std::span<const int32_t> way, std::span<const float> row);

// The poses of all nodes in the world, in a row. `poses` has one for each node.
// O(nodes).
void WorldPoses(const Skeleton& skeleton, const Conventions& conventions,
                std::span<const float> row, std::span<JointPose> poses);

Mat3<double> Transposed(const Mat3<double>& m);
// The transpose of a rotation times `v`.
Vec3<double> TurnBack(const Mat3<double>& m, const Vec3<double>& v);

// True if the rotation channels of `node` are an Euler sequence of three.
bool HasEulerAngles(const Skeleton& skeleton, const Node& node);

// The channels that a node needs: those for any position, for any rotation.
struct PoseChannels {
  bool place = false;
  bool turn = false;
};

// `skeleton` with the channels that `wanted`, one for each node, asks for.
// Missing position channels are put first; Z X Y take the place of rotation
// channels that are not an Euler sequence of three. New columns are 0. O(nodes
// + columns).
MappedSkeleton WithPoseChannels(const Skeleton& skeleton,
                                std::span<const PoseChannels> wanted);

// Writes `place` to the position channels of `node`, as `conventions` read
// them.
void WritePlace(const Skeleton& skeleton, const Conventions& conventions,
                const Node& node, const Vec3<double>& place,
                std::span<float> row);

// Writes `turn` to the rotation channels of `node`, which must be an Euler
// sequence of three: the angles nearest to `*near`, those of the frame before,
// so that they do not jump from frame to frame. They replace `*near` if they
// are finite.
void WriteTurn(const Skeleton& skeleton, const Node& node,
               const Mat3<double>& turn, EulerAngles* near,
               std::span<float> row);

}  // namespace bvhmill
