#pragma once

// Compares skeletons. Two are the same if they have joints and end sites in the
// same order, with the same parents, and the joints have the same names and
// channels. Names of end sites do not count: the reader makes them. Offsets do
// not count: takes of several people have the same skeleton in several sizes.

#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"

namespace bvhmill::client {

// A hash; the same skeletons have the same hash. O(joints).
uint64_t SkeletonKey(const JointList& joints);

// A difference between two skeletons.
struct SkeletonDifference {
  // "joint 3 is 'Chest', not 'Spine1'"; empty if the skeletons are the same.
  std::string text;
  // The index of the joint of `found` that differs; -1 if joints are missing at
  // the end.
  int32_t joint = -1;
};

// The first difference of `found` from `expected`.
SkeletonDifference CompareSkeletons(const JointList& expected,
                                    const JointList& found);

// The first difference of the names of joints, without end sites, from
// `expected`.
SkeletonDifference CompareNames(const std::vector<std::string>& expected,
                                const JointList& found);

// The number of joints, without end sites.
int64_t CountJoints(const JointList& joints);

}  // namespace bvhmill::client
