#pragma once

// Poses of joints: read from rows of a clip, written to rows, and computed
// between rows. All computations are in double precision.
//
//   JointPose pose = LocalPose(skeleton, conventions, node, row);
//   pose.place[1] += 1;
//   WritePlace(skeleton, conventions, node, pose.place, row);
//
// Functions with `conventions` read positions as these say. No function keeps
// state, so threads may call all of them at the same time.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
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

Mat3<double> Transposed(const Mat3<double>& m);
// The transpose of a rotation times `v`.
Vec3<double> TurnBack(const Mat3<double>& m, const Vec3<double>& v);

// Reading poses.

// The pose of a joint below its parent, in a row of `skeleton`.
JointPose LocalPose(const Skeleton& skeleton, const Conventions& conventions,
                    const Node& node, std::span<const float> row);

// Turns `pose`, that of the parent, into that of `node`.
void AddJoint(const Skeleton& skeleton, const Conventions& conventions,
              const Node& node, std::span<const float> row, JointPose* pose);

// The joints above `node`, from the ROOT down.
std::vector<int32_t> JointsAbove(const Skeleton& skeleton, int32_t node);

// The pose in the world of the last joint of `way`, in a row. `way` is a path
// of joints that begins at a ROOT. Identity if it is empty. O(joints of the
// path).
JointPose WorldPoseOf(const Skeleton& skeleton, const Conventions& conventions,
                      std::span<const int32_t> way, std::span<const float> row);

// The poses of all nodes in the world, in a row. `poses` has one for each node.
// O(nodes).
void WorldPoses(const Skeleton& skeleton, const Conventions& conventions,
                std::span<const float> row, std::span<JointPose> poses);

// Writing poses.

// The channels that a node needs: those for any position, for any rotation.
struct PoseChannels {
  bool place = false;
  bool turn = false;
};

// `skeleton` with the channels that `wanted`, one for each node, asks for.
// Missing position channels are inserted first; Z X Y replace rotation channels
// that are not an Euler sequence of three. New columns are 0. O(nodes +
// columns).
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

// Poses between the frames of a clip.

// Fills the columns of `node` in `out` with a pose between two rows: `u` = 0 is
// row `a`, `u` = 1 is row `b`. All three are rows of `skeleton`.
//
// Positions and scales are interpolated linearly. If the rotation channels of a
// joint are an Euler sequence of three, its rotation is interpolated by slerp,
// the shortest way, and written as the angles that are nearest to those of
// kLerp; if the three angles are equal in both rows, they are kept. Other
// rotations, and all rotations with kLerp, take the shortest way channel by
// channel. O(channels of the node); allocates nothing.
void BlendNode(const Skeleton& skeleton, const Node& node,
               std::span<const float> a, std::span<const float> b, double u,
               Interpolation interpolation, std::span<float> out);

// A place that is nearer to a frame than this, in frames, is that frame: more
// than the rounding of a place, and less than the distance to the next place
// below 500,000 frames a second.
inline constexpr double kFrameTolerance = 1e-9;

// Fills `out` with the pose at `place` of a clip of `frames` >= 1 rows, where
// 1.5 is halfway between row 1 and row 2, interpolated as BlendNode says.
// Before the first row the pose is the first row, after the last row it is the
// last. At a row it is that row, bit for bit. `values` are frames x columns.
// O(nodes + columns); allocates nothing.
void SamplePose(const Skeleton& skeleton, std::span<const float> values,
                int64_t frames, double place, Interpolation interpolation,
                std::span<float> out);

// A change of the rate: `from` frames of the source last as long as `to` frames
// of the result. Both are integers if the ratio of the rates is one of
// integers: places and counts are then exact.
struct Resampling {
  double from = 1;
  double to = 1;
};

// The change from one rate to another, in frames a second, both above 0. A
// whole rate, a half of one, and 1 / 1.001 of these give integers.
Resampling ResamplingOf(double from_rate, double to_rate);

// The position of frame `k` of the result, in frames of the source.
inline double PlaceOfFrame(const Resampling& rate, int64_t k) {
  return static_cast<double>(k) * rate.from / rate.to;
}

// The end rule: frame `k` is part of the result if it is not after the last of
// the `frames` source frames.
inline bool IsWithin(const Resampling& rate, int64_t k, int64_t frames) {
  return PlaceOfFrame(rate, k) <=
         static_cast<double>(frames - 1) + kFrameTolerance;
}

// The number of frames of the result, by the end rule: floor((frames - 1) * to
// / from) + 1. 0 if the source has no frames, none if the result exceeds
// `most`, which is at most 2^53.
std::optional<int64_t> ResampledFrames(const Resampling& rate, int64_t frames,
                                       int64_t most);

}  // namespace bvhmill
