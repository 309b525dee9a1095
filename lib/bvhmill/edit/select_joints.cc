// Selects the joints that names and patterns mean, and renames joints.

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// Sets `chosen` for the joints that the patterns match. A pattern matches one
// span of the index, of which only the two ends are marked: the cost is the
// same for one joint and for all.
absl::Status Choose(std::string_view field, const NameIndex& index,
                    const std::vector<std::string>& patterns,
                    std::vector<bool>* chosen) {
  std::vector<int64_t> opened(index.joints.size() + 1);
  for (const std::string& pattern : patterns) {
    const auto found = FindPattern(index, pattern);
    if (found.empty()) return NoSuchJoint(field, pattern, index);
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

// Drops all trees but that of the figure-th root.
absl::Status ChooseFigure(int32_t figure, const Skeleton& skeleton,
                          std::vector<bool>* dropped) {
  if (figure == 0) return absl::OkStatus();
  int32_t roots = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (skeleton.nodes[i].parent < 0) ++roots;
    if (roots != figure && !IsEndSite(skeleton.nodes[i])) (*dropped)[i] = true;
  }
  if (figure <= roots) return absl::OkStatus();
  return InvalidField("options.edits.figure",
                      "is " + std::to_string(figure) + "; the clip has only " +
                          std::to_string(roots) +
                          (roots == 1 ? " root" : " roots"));
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

// The names that were changed in a clip.
struct Renaming {
  // By node: an edit gives it a name.
  std::vector<bool> renamed;
  // A map or a naming scheme knows fewer than half of the joints.
  bool fits_badly = false;
  // For the message: "; 2 of 7 rows ...".
  std::string detail;
};

// Sets the new names. One name can go to many joints, so their memory is drawn
// first. The editor keeps two skeletons: hence 2 * bytes.
absl::Status Apply(const NewNames& names, const Limits& limits, Budget* budget,
                   Skeleton* skeleton, Renaming* renaming) {
  BVHMILL_RETURN_IF_ERROR(CheckLengths(names, limits));
  int64_t bytes = 0;
  for (const auto& [node, name] : names) {
    bytes += HeapBytes(static_cast<int64_t>(name.size()));
  }
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, 2 * bytes));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, 2 * bytes));
  for (const auto& [node, name] : names) {
    skeleton->nodes[static_cast<size_t>(node)].name = name;
    renaming->renamed[static_cast<size_t>(node)] = true;
  }
  return absl::OkStatus();
}

// Sorted: NAME#2 comes after NAME and takes precedence, in any order of the
// edits.
using SortedNames = std::map<std::string_view, std::string_view>;

absl::Status RenameByPairs(const ClipEdits& edits, const Limits& limits,
                           Budget* budget, Skeleton* skeleton,
                           Renaming* renaming) {
  if (edits.rename.empty()) return absl::OkStatus();
  const NameIndex index = MakeNameIndex(*skeleton);
  const SortedNames pairs(edits.rename.begin(), edits.rename.end());
  NewNames names;
  for (const auto& [from, to] : pairs) {
    const auto found = FindName(index, from);
    if (found.empty()) return NoSuchJoint("options.edits.rename", from, index);
    Collect(found, to, &names);
  }
  return Apply(names, limits, budget, skeleton, renaming);
}

bool IsBelowHalf(int64_t part, int64_t all) { return 2 * part < all; }

FirstNames SourcesWithoutJoint(const std::vector<JointMapRow>& rows,
                               const Skeleton& skeleton) {
  const NameIndex whole = MakeNameIndex(skeleton);
  const NameIndex bare = MakeNameIndex(skeleton, /*bare=*/true);
  FirstNames missing;
  for (const JointMapRow& row : rows) {
    if (!FindName(whole, row.source).empty()) continue;
    if (FindName(bare, row.source).empty()) missing.Add(row.source);
  }
  return missing;
}

void StripPrefix(std::string_view prefix, Skeleton* skeleton,
                 Renaming* renaming) {
  if (prefix.empty()) return;
  for (size_t i = 0; i < skeleton->nodes.size(); ++i) {
    Node& node = skeleton->nodes[i];
    const bool has_prefix = !IsEndSite(node) && node.name != prefix &&
                            node.name.starts_with(prefix);
    if (!has_prefix || renaming->renamed[i]) continue;
    node.name.erase(0, prefix.size());
    renaming->renamed[i] = true;
  }
}

// A map of the caller with a joint for each row does what it says, so it fits.
// A built-in map has rows for many skeletons.
absl::Status RenameByMap(const std::vector<JointMapRow>& rows, bool is_built_in,
                         const Limits& limits, Budget* budget,
                         Skeleton* skeleton, Renaming* renaming) {
  const auto targets = NamesByMap(rows, *skeleton);
  NewNames names;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]) names.emplace_back(static_cast<int32_t>(i), *targets[i]);
  }
  if (names.empty()) {
    return InvalidField("options.edits.joint_map",
                        "no joint of the clip is in the map");
  }
  FirstNames missing;
  if (!is_built_in) missing = SourcesWithoutJoint(rows, *skeleton);
  if (missing.count > 0) {
    renaming->detail = "; the clip has no joint for " +
                       std::to_string(missing.count) + " of " +
                       std::to_string(rows.size()) +
                       " rows of the map: " + missing.text;
  }
  renaming->fits_badly =
      (is_built_in || missing.count > 0) &&
      IsBelowHalf(static_cast<int64_t>(names.size()), JointCount(*skeleton));
  return Apply(names, limits, budget, skeleton, renaming);
}

absl::Status RenameByMaps(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton,
                          Renaming* renaming) {
  if (!edits.joint_map_rows.empty()) {
    return RenameByMap(edits.joint_map_rows, /*is_built_in=*/false, limits,
                       budget, skeleton, renaming);
  }
  if (edits.joint_map.empty()) return absl::OkStatus();
  const auto rows = FindJointMap(edits.joint_map);
  return rows.ok() ? RenameByMap(*rows, /*is_built_in=*/true, limits, budget,
                                 skeleton, renaming)
                   : rows.status();
}

absl::Status RenameToScheme(std::string_view name, const Limits& limits,
                            Budget* budget, Skeleton* skeleton,
                            Renaming* renaming) {
  if (name.empty()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(CheckNamesTo(name));
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(budget, RecognitionUnits(skeleton->nodes.size())));
  const Recognition recognition = Recognize(*skeleton);
  if (recognition.matched == 0) {
    return InvalidField("options.edits.names_to",
                        "the naming scheme of the clip is not known");
  }
  if (IsBelowHalf(recognition.matched, recognition.joints)) {
    renaming->fits_badly = true;
    renaming->detail += "; only " + std::to_string(recognition.matched) +
                        " are in the naming scheme of the clip";
  }
  const std::vector<std::string> found =
      NamesIn(*FindNamingScheme(name), *skeleton, recognition);
  NewNames names;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty())
      names.emplace_back(static_cast<int32_t>(i), found[i]);
  }
  return Apply(names, limits, budget, skeleton, renaming);
}

// For each node, the first joint of the same name; -1 for an end site.
std::vector<int32_t> FirstNamesakes(const NameIndex& index, size_t nodes) {
  std::vector<int32_t> first(nodes, -1);
  std::span<const NamedJoint> left = index.joints;
  while (!left.empty()) {
    const auto same = FindName(index, left[0].name);
    for (const NamedJoint& joint : same) {
      first[static_cast<size_t>(joint.node)] = same[0].node;
    }
    left = left.subspan(same.size());
  }
  return first;
}

// Logs the names that joints share now and, by `before`, did not share.
void LogSharedNames(const std::vector<int32_t>& before,
                    const Skeleton& skeleton, IssueLog* log) {
  const NameIndex index = MakeNameIndex(skeleton);
  const std::vector<int32_t> now = FirstNamesakes(index, before.size());
  std::vector<bool> is_shared(before.size(), false);
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] < 0) continue;
    const auto first = static_cast<size_t>(now[i]);
    if (before[i] != before[first]) is_shared[first] = true;
  }
  FirstNames names;
  for (size_t i = 0; i < is_shared.size(); ++i) {
    if (is_shared[i]) names.Add(skeleton.nodes[i].name);
  }
  if (names.count == 0) return;
  log->Add(IssueCode::EDIT_NAME_SHARED, {}, {{"names", names.text}},
           names.count);
}

bool RenamesJoints(const ClipEdits& edits) {
  return !edits.rename.empty() || edits.strip_prefix ||
         !edits.joint_map.empty() || !edits.joint_map_rows.empty() ||
         !edits.names_to.empty();
}

void LogRenaming(const Renaming& renaming, const Skeleton& skeleton,
                 IssueLog* log) {
  const auto count =
      std::count(renaming.renamed.begin(), renaming.renamed.end(), true);
  log->AddAs(renaming.fits_badly ? Severity::kWarning : Severity::kInfo,
             IssueCode::EDIT_JOINTS_RENAMED, {},
             {{"count", std::to_string(count)},
              {"joints", std::to_string(JointCount(skeleton))},
              {"detail", renaming.detail}});
}

}  // namespace

absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped) {
  dropped->assign(skeleton.nodes.size(), false);
  BVHMILL_RETURN_IF_ERROR(ChooseFigure(edits.figure, skeleton, dropped));
  const NameIndex index = MakeNameIndex(skeleton);
  BVHMILL_RETURN_IF_ERROR(
      Choose("options.edits.drop", index, edits.drop, dropped));
  if (edits.keep.empty()) return absl::OkStatus();
  std::vector<bool> kept(skeleton.nodes.size(), false);
  BVHMILL_RETURN_IF_ERROR(
      Choose("options.edits.keep", index, edits.keep, &kept));
  for (const NamedJoint& joint : index.joints) {
    const auto node = static_cast<size_t>(joint.node);
    if (!kept[node]) (*dropped)[node] = true;
  }
  return absl::OkStatus();
}

absl::Status RenameJoints(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton, IssueLog* log) {
  if (!RenamesJoints(edits)) return absl::OkStatus();
  const size_t nodes = skeleton->nodes.size();
  const std::vector<int32_t> before =
      FirstNamesakes(MakeNameIndex(*skeleton), nodes);
  Renaming renaming;
  renaming.renamed.resize(nodes);
  std::string prefix;
  if (edits.strip_prefix) {
    BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, RecognitionUnits(nodes)));
    prefix = Recognize(*skeleton).prefix;
  }
  BVHMILL_RETURN_IF_ERROR(
      RenameByPairs(edits, limits, budget, skeleton, &renaming));
  StripPrefix(prefix, skeleton, &renaming);
  BVHMILL_RETURN_IF_ERROR(
      RenameByMaps(edits, limits, budget, skeleton, &renaming));
  BVHMILL_RETURN_IF_ERROR(
      RenameToScheme(edits.names_to, limits, budget, skeleton, &renaming));
  if (log == nullptr) return absl::OkStatus();
  LogRenaming(renaming, *skeleton, log);
  LogSharedNames(before, *skeleton, log);
  return absl::OkStatus();
}

}  // namespace bvhmill
