#pragma once

// Tables that rename the joints of one kind of skeleton: those built in, which
// all lead to the names of Second Life's avatar, and those of callers, as CSV.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill {

struct JointMapRow {
  std::string source;
  std::string target;

  bool operator==(const JointMapRow& other) const = default;
};

// Names of the maps that are built in, in the order of the alphabet.
std::vector<std::string_view> JointMapNames();

// The rows of a map that is built in. INVALID_ARGUMENT
// "options.edits.joint_map: ..." if there is none of that name. Parses its
// table each time: a few thousand bytes.
absl::StatusOr<std::vector<JointMapRow>> FindJointMap(std::string_view name);

// A table as CSV: a first line `source,target`, then a joint a line, each
// source once. Fields may be quoted, with "" for a quote; blanks around a field
// and empty lines do not count. INVALID_ARGUMENT "line N: why" for the first
// line that is wrong. O(n log n).
absl::StatusOr<std::vector<JointMapRow>> ParseJointMap(std::string_view csv);

// INVALID_ARGUMENT "field: why" if `name` could not be written to a BVH file
// and read back: empty, with braces, control characters or blanks around it.
absl::Status CheckJointName(std::string_view field, std::string_view name);

}  // namespace bvhmill
