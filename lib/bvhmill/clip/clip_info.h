#pragma once

// The facts about a clip that callers get: its description, and its measures.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/clip/skeleton.h"

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

// Joints that clips of one skeleton share. A copy is cheap. The list never
// changes.
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

// The description of a clip. O(nodes).
ClipInfo DescribeClip(const Skeleton& skeleton, int64_t frames,
                      double frame_time);
// Sets the frames of `info`, for another clip with the same joints.
void SetFrames(int64_t frames, double frame_time, ClipInfo* info);
// The frame rate that the frame time stands for, if it is rounded: 30 for
// 0.033. 0 without a usable frame time.
double StatedRate(const ClipInfo& info);

// --- Measures: its size, its speed, and how far its joints turn.

// The pose of a body that the OFFSETs alone give. Up is the way from the joint
// where the legs branch off to the joint where the arms do; legs point down in
// all poses but the last three.
enum class RestPoseKind {
  // The skeleton is no body with two legs and two arms.
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
  // The least and the greatest finite value of each channel, in the order of
  // the file, in degrees or in the unit of the file; NaN if there is none.
  std::vector<float> least;
  std::vector<float> greatest;
  // The largest angle between the rotation in a frame and that in the first
  // frame, degrees. 0 without rotation channels.
  double degrees = 0;
};

struct FastestJoint {
  // Units of the file in a second.
  double speed = 0;
  // An index of nodes. Not an end site.
  int32_t joint = 0;
  // The frame at which the step ends.
  int64_t frame = 0;
};

struct ClipExtents {
  std::array<float, 3> least = {};
  std::array<float, 3> greatest = {};
};

// About the clip as the file has it, before edits. Lengths are in the unit of
// the file. Positions that are not finite do not count. A number that is not
// known is nullopt. A first or last frame that is no part of the motion
// (DATA_FIRST_FRAME_APART, DATA_LAST_FRAME_APART) counts for the extents and
// for the ranges of channels only.
struct ClipMeasures {
  // Frames times frame time, in seconds; 0 if there is no usable frame time.
  double duration = 0;
  // Joints on the longest way from a root down, the root included.
  int32_t depth = 0;
  // The number of values in a frame.
  int32_t channels = 0;
  // The box around all joints and end sites in all frames.
  std::optional<ClipExtents> extents;
  RestPoseKind rest_pose = RestPoseKind::kUnknown;
  // The size of the rest pose along X, Y and Z.
  std::array<double, 3> rest_size = {};
  // The height of the body, if the rest pose stands: its size along the axis
  // that is up. None if the caller states another axis.
  std::optional<double> height;
  // The longest way along bones from a root to a leaf (clip/reach.h). 0 if all
  // JOINTs have the OFFSET 0.
  double reach = 0;
  // The joint that carries the body of the first ROOT: an index of nodes.
  std::optional<int32_t> body_root;
  // The length of the way of the body root, and its mean speed in a second.
  std::optional<double> root_path;
  std::optional<double> root_speed;
  std::optional<FastestJoint> fastest;
  // The loop error: between the first and the last frame, the largest angle of
  // a joint in degrees, and the distance of the body root.
  std::optional<double> loop_degrees;
  std::optional<double> loop_distance;
  // One for each node.
  std::vector<JointMeasures> joints;
};

}  // namespace bvhmill
