#pragma once

// Finds the body root of a clip: the joint that carries the body. It is the
// ROOT of most files. In others the ROOT stands still ("Armature",
// "joint_Root", "SimulationBone"), and a joint below it carries the body.
//
//   const std::vector<Trunk> trunks = FindTrunks(skeleton);
//   const auto moving = MovingColumns(skeleton.channels.size(), motion.values);
//   const auto body_roots = FindBodyRoots(skeleton, trunks, moving, reading);

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The joints of a tree that may be its body root, from the ROOT down.
struct Trunk {
  static constexpr size_t kMost = 8;

  // At least the ROOT, at most kMost.
  std::vector<int32_t> joints;
  // The last joint has the role hips.
  bool reaches_hips = false;
};

// The trunk of each ROOT, in file order: the path to the hips (Recognize). If
// the tree has no known hips, or the path is longer than a trunk: the path to
// the last joint that has at least half of the joints of its tree in and below
// itself. The ROOT alone if no JOINT of the skeleton has three position
// channels; names are not recognized then. O(nodes), and the cost of Recognize.
std::vector<Trunk> FindTrunks(const Skeleton& skeleton);

// True if a JOINT has three position channels.
bool HasPositionedJoint(const Skeleton& skeleton);

// True if the joint can carry a body: a ROOT, or a JOINT whose three position
// channels are read.
bool CanCarry(const Skeleton& skeleton, int32_t node, JointPositions reading);

// For each column of `values`, frames x columns: 1 if its values differ.
std::vector<uint8_t> MovingColumns(size_t columns,
                                   std::span<const float> values);

// The body root of each trunk. `trunks` are those of `skeleton`; `moving` is
// the result of MovingColumns.
//
// The body root is the first joint from the ROOT down that has a channel that
// varies, or that has several children with such a channel in or below them;
// but at most the last joint of the trunk. If no channel of a tree varies, it
// is the hips if they are known, else the ROOT. If that joint cannot carry a
// body, it is the next one above that can. O(nodes + columns).
std::vector<int32_t> FindBodyRoots(const Skeleton& skeleton,
                                   std::span<const Trunk> trunks,
                                   std::span<const uint8_t> moving,
                                   JointPositions reading);

}  // namespace bvhmill
