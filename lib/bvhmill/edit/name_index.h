#pragma once

// Finds joints by name. A pattern is NAME (every joint of that name), NAME#2
// (the second of them in file order) or PREFIX* (every joint whose name begins
// with PREFIX). The index has no end sites.
//
// Names and patterns are compared as they are shown (ToUtf8): a name that is
// not UTF-8 is found by its text, and also by its bytes.

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

struct NamedJoint {
  // Points into the skeleton, which must outlive it, or into the index.
  std::string_view name;
  int32_t node = 0;
};

// "'Hips', 'Spine'": the first three of the names that are added.
struct FirstNames {
  std::string text;
  int64_t count = 0;

  void Add(std::string_view name);
};

struct NameIndex {
  NameIndex() = default;
  NameIndex(NameIndex&&) = default;
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Sorted by name, then in file order: all matches of a pattern are one span.
  std::vector<NamedJoint> joints;
  // The texts of names that are not UTF-8.
  std::list<std::string> decoded;
};

// Builds the index of `skeleton`. With `bare`, the name of a joint is its
// BareName: "mixamorig:Hips" is "Hips". O(n log n).
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
