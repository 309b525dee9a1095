#pragma once

// Joint maps: tables that rename the joints of one kind of skeleton. The
// built-in maps give joints the names of Second Life's avatar: one for each
// naming scheme of skeletons/. Users can give their own as CSV.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// Names of the built-in maps, in alphabetical order.
std::vector<std::string_view> JointMapNames();

// The rows of the built-in map `name`. INVALID_ARGUMENT
// "options.edits.joint_map: ..." if there is no such map. Each call makes the
// rows, 200 at most.
absl::StatusOr<std::vector<JointMapRow>> FindJointMap(std::string_view name);

// INVALID_ARGUMENT "options.edits.names_to: ..." if `name` is not empty and not
// one of JointMapNames.
absl::Status CheckNamesTo(std::string_view name);

// Parses a CSV table: a first line `source,target`, then one joint a line, each
// source once. A field may be quoted, with "" for a quote. Blanks around a
// field and empty lines are ignored. INVALID_ARGUMENT "line N: why" for the
// first wrong line, or if the table has no rows. O(n log n).
absl::StatusOr<std::vector<JointMapRow>> ParseJointMap(std::string_view csv);

// The new name of each node by the rows of a joint map, as views of `rows`;
// none for a node that no row means. A joint is looked up by its whole name,
// and then by the part after its last colon. NAME#2 takes precedence over NAME.
// O((joints + rows) log joints).
std::vector<std::optional<std::string_view>> NamesByMap(
    std::span<const JointMapRow> rows, const Skeleton& skeleton);

// INVALID_ARGUMENT "field: why" if `name` could not be written to a BVH file
// and read back: it is empty, is not UTF-8, contains braces or control
// characters, or begins or ends with a blank.
absl::Status CheckJointName(std::string_view field, std::string_view name);

}  // namespace bvhmill
