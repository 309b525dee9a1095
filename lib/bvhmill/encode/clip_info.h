#pragma once

// The facts about a clip that callers get.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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

}  // namespace bvhmill
