// Joints are dropped and renamed as by a twin that looks at every joint for
// every name.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/edit/editing.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::Skeleton;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;
using Names = std::vector<std::string>;

// Few letters, so that names meet: "a", "b:a", "a#2", "ab*".
std::string TakeName(Bytes* bytes) {
  constexpr std::string_view kLetters = "ab#12*:";
  std::string name;
  const size_t size = bytes->Below(6);
  for (size_t i = 0; i < size; ++i) {
    name += kLetters[bytes->Below(kLetters.size())];
  }
  return name;
}

Skeleton TakeSkeleton(Bytes* bytes) {
  Skeleton skeleton;
  const size_t nodes = 1 + bytes->Below(12);
  for (size_t i = 0; i < nodes; ++i) {
    bvhmill::Node node;
    node.name = TakeName(bytes);
    node.parent = static_cast<int32_t>(i) - 1;
    node.kind = i == 0            ? bvhmill::NodeKind::kRoot
                : bytes->OneIn(5) ? bvhmill::NodeKind::kEndSite
                                  : bvhmill::NodeKind::kJoint;
    // Children of an end site become children of its joint.
    while (node.parent > 0 &&
           IsEndSite(skeleton.nodes[static_cast<size_t>(node.parent)])) {
      --node.parent;
    }
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

Names JointNames(const Skeleton& skeleton, bool bare) {
  Names names;
  for (const bvhmill::Node& node : skeleton.nodes) {
    const size_t colon = node.name.rfind(':');
    names.push_back(bare && colon != std::string::npos
                        ? node.name.substr(colon + 1)
                        : node.name);
  }
  return names;
}

// The nodes of NAME; else, of NAME#2, the second of that name.
std::vector<size_t> Named(const Skeleton& skeleton, const std::string& name,
                          bool bare) {
  const Names names = JointNames(skeleton, bare);
  std::vector<size_t> found;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsEndSite(skeleton.nodes[i]) && names[i] == name) found.push_back(i);
  }
  const size_t mark = name.rfind('#');
  if (!found.empty() || mark == std::string::npos) return found;
  const std::string digits = name.substr(mark + 1);
  if (digits.empty() ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return {};
  }
  long which = std::strtol(digits.c_str(), nullptr, 10);
  for (size_t i = 0; i < names.size(); ++i) {
    if (IsEndSite(skeleton.nodes[i]) || names[i] != name.substr(0, mark)) {
      continue;
    }
    if (--which == 0) return {i};
  }
  return {};
}

std::vector<size_t> Matched(const Skeleton& skeleton,
                            const std::string& pattern) {
  std::vector<size_t> found = Named(skeleton, pattern, /*bare=*/false);
  if (!found.empty() || !pattern.ends_with('*')) return found;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const std::string_view prefix(pattern.data(), pattern.size() - 1);
    if (!IsEndSite(skeleton.nodes[i]) &&
        skeleton.nodes[i].name.starts_with(prefix)) {
      found.push_back(i);
    }
  }
  return found;
}

// Nothing where a pattern matches no joint.
std::optional<std::vector<bool>> Chosen(const Skeleton& skeleton,
                                        const Names& patterns) {
  std::vector<bool> chosen(skeleton.nodes.size());
  for (const std::string& pattern : patterns) {
    const std::vector<size_t> found = Matched(skeleton, pattern);
    if (found.empty()) return std::nullopt;
    for (const size_t i : found) chosen[i] = true;
  }
  return chosen;
}

std::optional<std::vector<bool>> DroppedByTwin(const bvhmill::ClipEdits& edits,
                                               const Skeleton& skeleton) {
  auto dropped = Chosen(skeleton, edits.drop);
  const auto kept = Chosen(skeleton, edits.keep);
  if (!dropped || !kept) return std::nullopt;
  for (size_t i = 0; !edits.keep.empty() && i < kept->size(); ++i) {
    if (!IsEndSite(skeleton.nodes[i]) && !(*kept)[i]) (*dropped)[i] = true;
  }
  return dropped;
}

// New names by rename, all at once; NAME#2 counts more than NAME.
bool RenamedByPairs(const bvhmill::ClipEdits& edits, Names* names,
                    const Skeleton& skeleton) {
  for (const bool numbered : {false, true}) {
    for (const auto& [from, to] : edits.rename) {
      const std::vector<size_t> found = Named(skeleton, from, false);
      if (found.empty()) return false;
      const bool is_numbered = skeleton.nodes[found[0]].name != from;
      if (is_numbered != numbered) continue;
      for (const size_t i : found) (*names)[i] = to;
    }
  }
  return true;
}

bool IsAbout(const bvhmill::JointMapRow& row, const Skeleton& skeleton,
             size_t joint, bool bare, bool numbered) {
  const std::vector<size_t> found = Named(skeleton, row.source, bare);
  const auto is_numbered = [&](const std::vector<size_t>& joints,
                               bool bare_names) {
    return !joints.empty() &&
           JointNames(skeleton, bare_names)[joints[0]] != row.source;
  };
  // A row that means one joint by its whole name is not about bare names.
  if (bare && is_numbered(Named(skeleton, row.source, false), false)) {
    return false;
  }
  return std::find(found.begin(), found.end(), joint) != found.end() &&
         is_numbered(found, bare) == numbered;
}

// The new name of JOINT: whole names count more than bare ones, and NAME#2
// counts more than NAME.
std::optional<std::string> TargetOf(const bvhmill::ClipEdits& edits,
                                    const Skeleton& skeleton, size_t joint) {
  for (const bool bare : {false, true}) {
    for (const bool numbered : {true, false}) {
      for (const bvhmill::JointMapRow& row : edits.joint_map_rows) {
        if (IsAbout(row, skeleton, joint, bare, numbered)) return row.target;
      }
    }
  }
  return std::nullopt;
}

bool RenamedByMap(const bvhmill::ClipEdits& edits, Names* names,
                  const Skeleton& skeleton) {
  bool any = edits.joint_map_rows.empty();
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const auto target = TargetOf(edits, skeleton, i);
    if (target) (*names)[i] = *target;
    any = any || target.has_value();
  }
  return any;
}

// Nothing where a name matches no joint, or no row of the map one.
std::optional<Names> RenamedByTwin(const bvhmill::ClipEdits& edits,
                                   Skeleton skeleton) {
  Names names = JointNames(skeleton, false);
  if (!RenamedByPairs(edits, &names, skeleton)) return std::nullopt;
  for (size_t i = 0; i < names.size(); ++i) skeleton.nodes[i].name = names[i];
  if (!RenamedByMap(edits, &names, skeleton)) return std::nullopt;
  return names;
}

bvhmill::ClipEdits TakeEdits(Bytes* bytes) {
  bvhmill::ClipEdits edits;
  // Each old name once, in order, as a request has them.
  std::map<std::string, std::string> pairs;
  std::map<std::string, std::string> rows;
  const size_t names = bytes->Below(8);
  for (size_t i = 0; i < names; ++i) {
    std::string name = TakeName(bytes);
    switch (bytes->Below(4)) {
      case 0:
        edits.drop.push_back(std::move(name));
        break;
      case 1:
        edits.keep.push_back(std::move(name));
        break;
      case 2:
        pairs[std::move(name)] = TakeName(bytes);
        break;
      default:
        rows[std::move(name)] = TakeName(bytes);
    }
  }
  edits.rename.assign(pairs.begin(), pairs.end());
  for (const auto& [source, target] : rows) {
    edits.joint_map_rows.push_back({source, target});
  }
  return edits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  const Skeleton skeleton = TakeSkeleton(&bytes);
  const bvhmill::ClipEdits edits = TakeEdits(&bytes);
  std::vector<bool> dropped;
  const auto expected_drops = DroppedByTwin(edits, skeleton);
  Require(bvhmill::SelectDropped(edits, skeleton, &dropped).ok() ==
          expected_drops.has_value());
  if (expected_drops) Require(dropped == *expected_drops);
  Skeleton renamed = skeleton;
  const auto expected = RenamedByTwin(edits, skeleton);
  Require(bvhmill::RenameJoints(edits, {}, nullptr, &renamed).ok() ==
          expected.has_value());
  if (expected) Require(JointNames(renamed, false) == *expected);
  return 0;
}
