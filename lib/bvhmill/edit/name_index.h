#pragma once

// Finds joints by name. A pattern is NAME (every joint of that name), NAME#2
// (the second of them in file order) or PREFIX* (every joint whose name begins
// with PREFIX). The index has no end sites.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct NamedJoint {
  // Points into the skeleton, which must outlive it.
  std::string_view name;
  int32_t node = 0;
};

// Sorted by name, then in file order: all matches of a pattern are one span.
using NameIndex = std::vector<NamedJoint>;

// Builds the index of `skeleton`. With `bare`, a name counts from its last
// colon on: "mixamorig:Hips" is "Hips". O(n log n).
NameIndex MakeNameIndex(const Skeleton& skeleton, bool bare = false);

// The joints that `name` means, as NAME or NAME#2; empty if there are none. A
// joint whose whole name is "NAME#2" takes precedence. O(log n).
std::span<const NamedJoint> FindName(const NameIndex& index,
                                     std::string_view name);

// As FindName; if that finds nothing, the joints that PREFIX* matches. Empty if
// there are none. O(log n).
std::span<const NamedJoint> FindPattern(const NameIndex& index,
                                        std::string_view pattern);

}  // namespace bvhmill
