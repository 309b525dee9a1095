#pragma once

// Finds the schemes and roles that a name of a joint may mean. Private to
// skeletons/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/skeletons/role.h"

namespace bvhmill {

// A name of a scheme.
struct KnownName {
  // As Fold gives it.
  std::string folded;
  // As the table has it.
  std::string_view name;
  // Index into NamingSchemes().
  int16_t scheme = 0;
  // kNone for a name without a role.
  Role role = Role::kNone;
};

// `name` in small letters, without blanks and the marks '_', '-' and '.'. Empty
// if `name` is longer than any known name.
std::string Fold(std::string_view name);

// All meanings of `name`, which has no prefix: by scheme, then by role. O(log
// names). Points into a table that is never freed.
std::span<const KnownName> FindKnownNames(std::string_view name);

// The lengths of the prefixes that `name` may have, with 0: what follows each
// of them is a known name with a role.
std::vector<size_t> PrefixLengths(std::string_view name);

}  // namespace bvhmill
