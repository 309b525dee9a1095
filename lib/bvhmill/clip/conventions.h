#pragma once

// What BVH leaves open about a clip, as whoever reads it decides or knows.
// docs/conventions.md has the evidence for the defaults.

namespace bvhmill {

// What position channels of a joint that is not a root mean.
enum class JointPositions { kReplaceOffset, kAddToOffset, kIgnore };
// What position channels of a root mean.
enum class RootOffset { kReplaced, kAdded };

struct Conventions {
  JointPositions joint_positions = JointPositions::kReplaceOffset;
  RootOffset root_offset = RootOffset::kReplaced;

  bool operator==(const Conventions& other) const = default;
};

enum class UpAxis { kUnknown, kY, kZ };

// What the numbers of a clip measure. Nothing is guessed: a caller knows it, or
// nobody does.
struct SourceSpace {
  UpAxis up_axis = UpAxis::kUnknown;
  // 0: not known.
  double meters_per_unit = 0;
};

}  // namespace bvhmill
