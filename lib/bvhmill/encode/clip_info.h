#pragma once

// The facts of a clip that callers are told.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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
  // One letter a channel, in file order: XYZ positions, xyz rotations, ijk
  // scales.
  std::string channels;
  bool end_site = false;
  std::array<float, 3> offset = {};
};

// Joints that clips of one rig share: a copy costs nothing, and none changes.
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

  // They are one list, so that they need not be compared.
  bool IsSharedWith(const JointList& other) const {
    return joints_ == other.joints_;
  }

 private:
  std::shared_ptr<const std::vector<JointInfo>> joints_;
};

struct ClipInfo {
  int64_t frames = 0;
  // As the file says; 0 if it does not.
  double frame_time = 0;
  // 0 without a usable frame time.
  double frames_per_second = 0;
  // ROOTs and JOINTs.
  int32_t joint_count = 0;
  // Depth-first in file order, with end sites.
  JointList joints;
};

ClipInfo DescribeClip(const Skeleton& skeleton, int64_t frames,
                      double frame_time);
ClipInfo DescribeClip(const Clip& clip);
// Makes `info` that of a clip of the same joints with other frames.
void SetFrames(int64_t frames, double frame_time, ClipInfo* info);

}  // namespace bvhmill
