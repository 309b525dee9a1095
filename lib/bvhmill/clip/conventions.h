#pragma once

// Properties of a clip that BVH does not define. The caller states them.
// docs/conventions.md has the evidence for the defaults.

namespace bvhmill {

// Meaning of the position channels of a joint that is not a root: they replace
// its OFFSET, are added to it, or are ignored.
enum class JointPositions { kReplaceOffset, kAddToOffset, kIgnore };
// The OFFSET of a root: replaced by its position channels, or added to them.
enum class RootOffset { kReplaced, kAdded };

struct Conventions {
  JointPositions joint_positions = JointPositions::kReplaceOffset;
  RootOffset root_offset = RootOffset::kReplaced;

  bool operator==(const Conventions& other) const = default;
};

enum class UpAxis { kUnknown, kY, kZ };

// Unit and up axis of a clip. They are never guessed: either the caller knows
// them, or they are unknown.
struct SourceSpace {
  UpAxis up_axis = UpAxis::kUnknown;
  // 0 means: unknown.
  double meters_per_unit = 0;
};

}  // namespace bvhmill
