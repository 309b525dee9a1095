#pragma once

// The results of rules that need only the skeleton. They are valid for all
// clips of that skeleton.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/biped_measure.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/mirror_pairs.h"

namespace bvhmill {

struct RepeatedName {
  int32_t joint = 0;
  // The first joint with that name.
  int32_t first = 0;
};

// Nodes by index, in file order.
struct SkeletonFacts {
  // Among ROOTs and JOINTs.
  std::vector<RepeatedName> repeated_names;
  // JOINTs at the position of their parent, without channels that could move
  // them away.
  std::vector<int32_t> zero_length_bones;
  // ROOTs whose OFFSET is not zero.
  std::vector<int32_t> offset_roots;
  // JOINTs that have all three position channels.
  std::vector<int32_t> positioned_joints;
  std::optional<BipedMeasure> body;
  // ROOTs and JOINTs that have all three position channels.
  std::vector<int32_t> positioned_nodes;
  // The longest way along OFFSETs from a root to a leaf: the size of the figure
  // in any rest pose.
  double reach = 0;
  Landmarks landmarks;
  // The joints of the tree of the first ROOT that may be its body root.
  Trunk trunk;
  // Pairs of left and right joints, and of their end sites.
  std::vector<MirrorPair> mirror_pairs;
};

// Writes to `facts`, which may hold earlier results, and reuses its memory.
// Cost: O(n log n), and that of FindTrunks.
void FindFacts(const Skeleton& skeleton, SkeletonFacts* facts);

// The length of a vector, for example of a bone.
float Length(const std::array<float, 3>& v);

}  // namespace bvhmill
