// Selects the joints that names and patterns mean, and renames joints.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/joint_edits.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/name_index.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

absl::Status NoSuchJoint(std::string_view field, std::string_view name) {
  return InvalidField(field, "no joint of the clip is " + Quote(name));
}

// Sets `chosen` for the joints that the patterns match. A pattern matches one
// span of the index, of which only the two ends are marked: the cost is the
// same for one joint and for all.
absl::Status Choose(std::string_view field, const NameIndex& index,
                    const std::vector<std::string>& patterns,
                    std::vector<bool>* chosen) {
  std::vector<int64_t> opened(index.joints.size() + 1);
  for (const std::string& pattern : patterns) {
    const auto found = FindPattern(index, pattern);
    if (found.empty()) return NoSuchJoint(field, pattern);
    const auto first = static_cast<size_t>(found.data() - index.joints.data());
    ++opened[first];
    --opened[first + found.size()];
  }
  int64_t open = 0;
  for (size_t i = 0; i < index.joints.size(); ++i) {
    open += opened[i];
    if (open > 0) (*chosen)[static_cast<size_t>(index.joints[i].node)] = true;
  }
  return absl::OkStatus();
}

// Pairs of node and new name. The skeleton keeps its names until all pairs are
// found. The new names point into others, which must outlive them.
using NewNames = std::vector<std::pair<int32_t, std::string_view>>;

void Collect(std::span<const NamedJoint> joints, std::string_view name,
             NewNames* names) {
  for (const NamedJoint& joint : joints) names->emplace_back(joint.node, name);
}

absl::Status CheckLengths(const NewNames& names, const Limits& limits) {
  for (const auto& [node, name] : names) {
    if (!Exceeds(static_cast<int64_t>(name.size()), limits.max_name_bytes)) {
      continue;
    }
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      "options.edits: a new name is longer than "
                      "max_name_bytes = " +
                          std::to_string(limits.max_name_bytes));
  }
  return absl::OkStatus();
}

// Sets the new names. One name can go to many joints, so their memory is drawn
// first. The editor keeps two skeletons: hence 2 * bytes.
absl::Status Apply(const NewNames& names, const Limits& limits, Budget* budget,
                   Skeleton* skeleton) {
  BVHMILL_RETURN_IF_ERROR(CheckLengths(names, limits));
  int64_t bytes = 0;
  for (const auto& [node, name] : names) {
    bytes += HeapBytes(static_cast<int64_t>(name.size()));
  }
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, 2 * bytes));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, 2 * bytes));
  for (const auto& [node, name] : names) {
    skeleton->nodes[static_cast<size_t>(node)].name = name;
  }
  return absl::OkStatus();
}

// Sorted: NAME#2 comes after NAME and takes precedence, in any order of the
// edits.
using SortedNames = std::map<std::string_view, std::string_view>;

absl::Status RenameByPairs(const ClipEdits& edits, const Limits& limits,
                           Budget* budget, Skeleton* skeleton) {
  if (edits.rename_joints.empty()) return absl::OkStatus();
  const NameIndex index = MakeNameIndex(*skeleton);
  const SortedNames pairs(edits.rename_joints.begin(),
                          edits.rename_joints.end());
  NewNames names;
  for (const auto& [from, to] : pairs) {
    const auto found = FindName(index, from);
    if (found.empty()) return NoSuchJoint("options.edits.rename_joints", from);
    Collect(found, to, &names);
  }
  return Apply(names, limits, budget, skeleton);
}

absl::Status RenameByMap(const std::vector<JointMapRow>& rows,
                         const Limits& limits, Budget* budget,
                         Skeleton* skeleton) {
  const auto targets = NamesByMap(rows, *skeleton);
  NewNames names;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]) names.emplace_back(static_cast<int32_t>(i), *targets[i]);
  }
  if (names.empty()) {
    return InvalidField("options.edits.joint_map",
                        "no joint of the clip is in the map");
  }
  return Apply(names, limits, budget, skeleton);
}

absl::Status RenameByMaps(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton) {
  if (!edits.joint_map_rows.empty()) {
    return RenameByMap(edits.joint_map_rows, limits, budget, skeleton);
  }
  if (edits.joint_map.empty()) return absl::OkStatus();
  const auto rows = FindJointMap(edits.joint_map);
  return rows.ok() ? RenameByMap(*rows, limits, budget, skeleton)
                   : rows.status();
}

absl::Status RenameToScheme(std::string_view name, const Limits& limits,
                            Budget* budget, Skeleton* skeleton) {
  if (name.empty()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(CheckNamesTo(name));
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(budget, RecognitionUnits(skeleton->nodes.size())));
  const Recognition recognition = Recognize(*skeleton);
  if (recognition.matched == 0) {
    return InvalidField("options.edits.names_to",
                        "the naming scheme of the clip is not known");
  }
  const std::vector<std::string> found =
      NamesIn(*FindNamingScheme(name), *skeleton, recognition);
  NewNames names;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty())
      names.emplace_back(static_cast<int32_t>(i), found[i]);
  }
  return Apply(names, limits, budget, skeleton);
}

}  // namespace

absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped) {
  dropped->assign(skeleton.nodes.size(), false);
  const NameIndex index = MakeNameIndex(skeleton);
  BVHMILL_RETURN_IF_ERROR(
      Choose("options.edits.drop_joints", index, edits.drop_joints, dropped));
  if (edits.keep_joints.empty()) return absl::OkStatus();
  std::vector<bool> kept(skeleton.nodes.size(), false);
  BVHMILL_RETURN_IF_ERROR(
      Choose("options.edits.keep_joints", index, edits.keep_joints, &kept));
  for (const NamedJoint& joint : index.joints) {
    const auto node = static_cast<size_t>(joint.node);
    if (!kept[node]) (*dropped)[node] = true;
  }
  return absl::OkStatus();
}

// A row that means a single joint, as NAME#2, is not about bare names.
std::vector<std::optional<std::string_view>> NamesByMap(
    std::span<const JointMapRow> rows, const Skeleton& skeleton) {
  SortedNames sorted;
  for (const auto& [source, target] : rows) sorted.emplace(source, target);
  const NameIndex whole = MakeNameIndex(skeleton);
  const NameIndex bare = MakeNameIndex(skeleton, /*bare=*/true);
  std::vector<std::optional<std::string_view>> targets(skeleton.nodes.size());
  const auto set = [&](std::span<const NamedJoint> joints,
                       std::string_view target) {
    for (const NamedJoint& joint : joints) {
      targets[static_cast<size_t>(joint.node)] = target;
    }
  };
  for (const auto& [source, target] : sorted) {
    const auto found = FindName(whole, source);
    const bool is_single = !found.empty() && found[0].name != ToUtf8(source);
    if (!is_single) set(FindName(bare, source), target);
  }
  for (const auto& [source, target] : sorted) {
    set(FindName(whole, source), target);
  }
  return targets;
}

absl::Status RenameJoints(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton) {
  BVHMILL_RETURN_IF_ERROR(RenameByPairs(edits, limits, budget, skeleton));
  BVHMILL_RETURN_IF_ERROR(RenameByMaps(edits, limits, budget, skeleton));
  return RenameToScheme(edits.names_to, limits, budget, skeleton);
}

}  // namespace bvhmill
