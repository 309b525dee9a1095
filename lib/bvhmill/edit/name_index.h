#pragma once

// Joints by name: NAME is every joint of that name, NAME#2 the second of them
// in file order, PREFIX* all that begin so. End sites have no names here.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct NamedJoint {
  // Of a node of the skeleton, which must outlive it.
  std::string_view name;
  int32_t node = 0;
};

// Sorted by name, then in file order: whatever a pattern matches is one span.
using NameIndex = std::vector<NamedJoint>;

// O(n log n). `bare` leaves out what a name says before its last colon, so that
// "mixamorig:Hips" is "Hips".
NameIndex MakeNameIndex(const Skeleton& skeleton, bool bare = false);

// NAME or NAME#2; a joint that is really called "NAME#2" comes first.
std::span<const NamedJoint> FindName(const NameIndex& index,
                                     std::string_view name);

// FindName, or what PREFIX* matches. Empty if nothing does. O(log n).
std::span<const NamedJoint> FindPattern(const NameIndex& index,
                                        std::string_view pattern);

}  // namespace bvhmill
