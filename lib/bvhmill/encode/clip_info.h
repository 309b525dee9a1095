#pragma once

// The facts of a clip that callers are told.

#include <array>
#include <cstdint>
#include <string>
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

struct ClipInfo {
  int64_t frames = 0;
  // As the file says; 0 if it does not.
  double frame_time = 0;
  // 0 without a usable frame time.
  double frames_per_second = 0;
  // ROOTs and JOINTs.
  int32_t joint_count = 0;
  // Depth-first in file order, with end sites.
  std::vector<JointInfo> joints;
};

// Into `info`, whatever it holds: its memory is used again.
void DescribeClip(const Skeleton& skeleton, int64_t frames, double frame_time,
                  ClipInfo* info);
ClipInfo DescribeClip(const Clip& clip);

}  // namespace bvhmill
