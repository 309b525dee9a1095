#pragma once

// What rules find in a skeleton, whatever its frames are: once for all takes of
// one rig.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/validate/biped_measure.h"

namespace bvhmill {

struct RepeatedName {
  int32_t joint = 0;
  // The first joint of that name.
  int32_t first = 0;
};

// Nodes, by index, in file order.
struct SkeletonFacts {
  // Of ROOTs and JOINTs.
  std::vector<RepeatedName> repeated_names;
  // JOINTs on their parents, and no channel that would move them.
  std::vector<int32_t> zero_length_bones;
  // ROOTs with an OFFSET.
  std::vector<int32_t> offset_roots;
  // JOINTs with all three position channels.
  std::vector<int32_t> positioned_joints;
  std::optional<BipedMeasure> body;
};

// Into `facts`, whatever it holds: its memory is used again. Cost: O(n log n).
void FindFacts(const Skeleton& skeleton, SkeletonFacts* facts);

// Along one bone, or any vector.
float Length(const std::array<float, 3>& v);

}  // namespace bvhmill
