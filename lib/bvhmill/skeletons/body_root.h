#pragma once

// Finds the body root of a clip: the joint that carries the body. It is the
// ROOT of most files. In others the ROOT stands still ("Armature",
// "joint_Root", "SimulationBone"), and a joint below it carries the body.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// The joints of a tree that may be its body root, from the ROOT down.
struct Trunk {
  static constexpr size_t kMost = 8;

  // At least the ROOT, at most kMost.
  std::vector<int32_t> joints;
  // The last joint has the role hips.
  bool reaches_hips = false;
};

// The trunk of each ROOT, in file order: the way to the hips (Recognize) or, if
// they are not known, to the last joint that has at least half of the joints of
// its tree in and below itself. The ROOT alone if no JOINT of the skeleton
// has three position channels; names are not recognized then. O(nodes), and
// the cost of Recognize.
std::vector<Trunk> FindTrunks(const Skeleton& skeleton);

// True if a JOINT has three position channels.
bool HasPositionedJoint(const Skeleton& skeleton);

// True if the joint can carry a body: a ROOT, or a JOINT whose three position
// channels are read.
bool CanCarry(const Skeleton& skeleton, int32_t node, JointPositions reading);

// For each column of `values`, frames x columns: 1 if its values differ.
std::vector<uint8_t> MovingColumns(size_t columns,
                                   std::span<const float> values);

// The body root of each trunk, which must be those of `skeleton`. `moving` is
// as MovingColumns gives it. It is the first joint from the ROOT down of which
// a channel varies, or that has several children with a channel that varies in
// or below them, but at most the last joint of the trunk. If that joint cannot
// carry a body, it is the next one above it that can. If no channel of a tree
// varies: the hips if they are known, else the ROOT. O(nodes + columns).
std::vector<int32_t> FindBodyRoots(const Skeleton& skeleton,
                                   std::span<const Trunk> trunks,
                                   std::span<const uint8_t> moving,
                                   JointPositions reading);

}  // namespace bvhmill
