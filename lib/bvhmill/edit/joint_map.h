#pragma once

// Joints by their names: an index that finds them, and joint maps, which rename
// the joints of one kind of skeleton.
//
//   const NameIndex index = MakeNameIndex(skeleton);
//   for (const NamedJoint& joint : FindPattern(index, "Left*")) {
//     Use(joint.node);
//   }
//
// A pattern is NAME (every joint of that name), NAME#2 (the second of them in
// file order) or PREFIX* (every joint whose name begins with PREFIX). Names and
// patterns are compared as they are shown (ToUtf8): a name that is not UTF-8 is
// found by its text, and also by its bytes.

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct NamedJoint {
  // Points into the skeleton, which must outlive it, or into the index.
  std::string_view name;
  int32_t node = 0;
};

// The joints of a skeleton by name. It has no end sites.
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

// INVALID_ARGUMENT "FIELD: no joint of the clip is 'NAME'", for a name or
// pattern that finds none; with the most similar of the first thousand names.
absl::Status NoSuchJoint(std::string_view field, std::string_view name,
                         const NameIndex& index);

// "'Hips', 'Spine'": the first three of the names that are added, for
// messages.
struct FirstNames {
  std::string text;
  int64_t count = 0;

  void Add(std::string_view name);
};

// Joint maps: tables of source and target names. The built-in maps rename
// joints to those of Second Life's avatar, one map for each naming scheme of
// skeletons/. Users can write their own as CSV.

// Names of the built-in maps, in alphabetical order.
std::vector<std::string_view> JointMapNames();

// The rows of the built-in map `name`. INVALID_ARGUMENT
// "options.edits.joint_map: ..." if there is no such map. Each call makes the
// rows, 200 at most.
absl::StatusOr<std::vector<JointMapRow>> FindJointMap(std::string_view name);

// INVALID_ARGUMENT "options.edits.names_to: ..." if `name` is not empty and not
// one of JointMapNames.
absl::Status CheckNamesTo(std::string_view name);

// A CSV table of two columns, and the words of its errors.
struct TableForm {
  // "source,target"
  std::string_view heading;
  // " is mapped twice"
  std::string_view twice;
  // "the map has no rows"
  std::string_view none;
  // Checks a row, with the heading.
  absl::Status (*check)(const JointMapRow& row);
};

// Parses a CSV table: a first line with the heading, then one joint a line, in
// the first column, each once. A field may be quoted, with "" for a quote.
// Blanks around a field and empty lines are ignored. INVALID_ARGUMENT "line N:
// why" for the first wrong line, or if the table has no rows. O(n log n).
absl::StatusOr<std::vector<JointMapRow>> ParseTable(const TableForm& form,
                                                    std::string_view csv);

// ParseTable with the heading `source,target`; a target is the name of a joint.
absl::StatusOr<std::vector<JointMapRow>> ParseJointMap(std::string_view csv);

// The new name of each node by the rows of a joint map, as views of `rows`;
// none for a node that no row names. A joint is looked up by its whole name,
// and then by the part after its last colon. NAME#2 takes precedence over NAME.
// O((joints + rows) log joints).
std::vector<std::optional<std::string_view>> NamesByMap(
    std::span<const JointMapRow> rows, const Skeleton& skeleton);

// INVALID_ARGUMENT "field: why" if `name` could not be written to a BVH file
// and read back: it is empty, is not UTF-8, contains braces or control
// characters, or begins or ends with a blank.
absl::Status CheckJointName(std::string_view field, std::string_view name);

}  // namespace bvhmill
