#pragma once

// Facts about a clip for callers: its description (joints, frames, rate), its
// measures (size, speed, ranges of the joints), and the frame rate in common
// use that its frame time stands for.
//
//   const ClipInfo info = DescribeClip(skeleton, frames, frame_time);
//   const double rate = StatedRate(info);  // 30 for a frame time of 0.033

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct JointInfo {
  // UTF-8; see DisplayName.
  std::string name;
  // Index into ClipInfo::joints; -1 for a root.
  int32_t parent = -1;
  // One letter for each channel, in file order: XYZ for positions, xyz for
  // rotations, ijk for scales.
  std::string channels;
  bool end_site = false;
  std::array<float, 3> offset = {};
};

// Joints, shared by the clips of one skeleton. Immutable; cheap to copy.
class JointList {
 public:
  JointList() = default;
  explicit JointList(std::vector<JointInfo> joints)
      : joints_(
            std::make_shared<const std::vector<JointInfo>>(std::move(joints))) {
  }

  size_t size() const { return joints_ == nullptr ? 0 : joints_->size(); }
  bool empty() const { return size() == 0; }
  const JointInfo* begin() const { return empty() ? nullptr : joints_->data(); }
  const JointInfo* end() const { return begin() + size(); }
  const JointInfo& operator[](size_t i) const { return (*joints_)[i]; }

  // True if both are the same list in memory, so that they need no comparison.
  bool IsSharedWith(const JointList& other) const {
    return joints_ == other.joints_;
  }

 private:
  std::shared_ptr<const std::vector<JointInfo>> joints_;
};

struct ClipInfo {
  int64_t frames = 0;
  // Seconds, as the file states it; 0 if it states none.
  double frame_time = 0;
  // 0 without a usable frame time.
  double frames_per_second = 0;
  // Number of ROOTs and JOINTs.
  int32_t joint_count = 0;
  // Depth-first in file order, with end sites.
  JointList joints;
};

// O(nodes).
ClipInfo DescribeClip(const Skeleton& skeleton, int64_t frames,
                      double frame_time);
// Sets the frames of `info`, for another clip with the same joints.
void SetFrames(int64_t frames, double frame_time, ClipInfo* info);
// The frame rate that the frame time stands for, if it is rounded: 30 for
// 0.033. 0 without a usable frame time.
double StatedRate(const ClipInfo& info);

// --- Measures: the size of a clip, its speed, and the ranges of its joints.

// The pose of a body by its OFFSETs alone. Up is the direction from the joint
// where the legs branch off to the joint where the arms do. Legs point down in
// all poses but kUnknown, kAligned and kOther.
enum class RestPoseKind {
  // The skeleton is not a body with two legs and two arms.
  kUnknown = 0,
  // Arms point sideways, by at most 20 degrees up or down.
  kT = 1,
  // Arms point down by 20 to 65 degrees.
  kA = 2,
  // Arms point down by more than 65 degrees.
  kArmsDown = 3,
  // Legs point up: all bones have the direction of the spine.
  kAligned = 4,
  kOther = 5,
};

// Measures of one joint or end site.
struct JointMeasures {
  // The least and the greatest finite value of each channel, in file order, in
  // degrees or in the unit of the file; NaN if there is none.
  std::vector<float> least;
  std::vector<float> greatest;
  // The largest angle between the rotation in a frame and that in the first
  // frame, degrees. 0 without rotation channels.
  double degrees = 0;
};

struct FastestJoint {
  // Units of the file per second.
  double speed = 0;
  // Index into Skeleton::nodes. Not an end site.
  int32_t joint = 0;
  // The frame at which the step ends.
  int64_t frame = 0;
};

struct ClipExtents {
  std::array<float, 3> least = {};
  std::array<float, 3> greatest = {};
};

// Measures of the clip as it is in the file, before edits. Lengths are in the
// unit of the file. Positions that are not finite do not count. A number that
// is not known is nullopt. A first or last frame that is no part of the motion
// (DATA_FIRST_FRAME_APART, DATA_LAST_FRAME_APART) counts only for the extents
// and for the ranges of channels.
struct ClipMeasures {
  // Frames times frame time, in seconds; 0 if there is no usable frame time.
  double duration = 0;
  // Joints on the longest path from a root down, the root included.
  int32_t depth = 0;
  // The number of values in a frame.
  int32_t channels = 0;
  // The box around all joints and end sites in all frames.
  std::optional<ClipExtents> extents;
  RestPoseKind rest_pose = RestPoseKind::kUnknown;
  // The size of the rest pose along X, Y and Z.
  std::array<double, 3> rest_size = {};
  // The height of the body, if the rest pose stands: its size along the up
  // axis. nullopt if the caller states another up axis.
  std::optional<double> height;
  // The longest path along bones from a root to a leaf: see Reach in
  // clip/clip.h. 0 if all JOINTs have the OFFSET 0.
  double reach = 0;
  // The joint that carries the body of the first ROOT: an index into
  // Skeleton::nodes.
  std::optional<int32_t> body_root;
  // The length of the path of the body root, and its mean speed per second.
  std::optional<double> root_path;
  std::optional<double> root_speed;
  std::optional<FastestJoint> fastest;
  // The loop error, between the first and the last frame: the largest angle of
  // a joint in degrees, and the distance of the body root.
  std::optional<double> loop_degrees;
  std::optional<double> loop_distance;
  // One for each node.
  std::vector<JointMeasures> joints;
};

// --- Frame rates in common use.

// A rate and how far a frame time is from it.
struct NearRate {
  double frames_per_second = 0;
  // |frame_time * frames_per_second - 1|.
  double difference = 0;
};

// The rate nearest to `frame_time`, among those of cameras, capture systems,
// displays and films, from 10 to 1000 frames per second. Requires
// HasRate(frame_time). The list is dense: only unusual rates differ from it by
// more than 1.1 %. It distinguishes 30 from 30 / 1.001.
//
// A whole rate wins over the one that is 1.001 times slower if its frame time,
// rounded to the digits that are written, is `frame_time`: 0.0167 is 60 frames
// per second, 0.01668 is 60 / 1.001.
NearRate NearestFrameRate(double frame_time);

// The rate in common use that `frame_time` stands for: `frame_time` is the
// frame time of that rate, rounded to the digits that are written and within
// 1.1 % of it; or it differs from it by less than 1/10000. Both 0.033 and
// 0.033333335 are 30 frames per second. 1 / frame_time if there is no such
// rate. Requires HasRate(frame_time).
double StatedFrameRate(double frame_time);

// The same rule for a rate: 29.97 is 30 / 1.001 frames per second. Returns
// `rate` itself if it stands for none. Requires rate > 0.
double WrittenFrameRate(double rate);

// The seconds between frames, for rules and repairs that depend on the rate:
// `frame_time`, or 1/30 if there is no rate or IsBeyondRates is true.
double MotionFrameTime(double frame_time);

// True if the frame time is a rate, but 0.2 s or more, or below 0.00099 s. From
// 0.2 s on, the motion between two frames is unknown. No capture of a body
// records more than 1010 frames per second, so speeds would be wrong.
bool IsBeyondRates(double frame_time);

}  // namespace bvhmill
