#include "bvhmill/encode/avatar_names.h"

#include <unordered_map>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"

namespace bvhmill {
namespace {

// Fewer joints in common may be chance.
constexpr int64_t kLeastBones = 4;

// A map as a table. Its strings point into the rows.
using Targets = std::unordered_map<std::string_view, std::string_view>;

Targets TableOf(const std::vector<JointMapRow>& rows) {
  Targets targets;
  for (const JointMapRow& row : rows) targets.emplace(row.source, row.target);
  return targets;
}

struct NamedMap {
  std::string_view name;
  std::vector<JointMapRow> rows;
  Targets targets;
};

// The tables of all built-in maps. They are read once and kept.
const std::vector<NamedMap>& BuiltInTables() {
  static const std::vector<NamedMap>* const kMaps = [] {
    auto* maps = new std::vector<NamedMap>();
    for (const std::string_view name : JointMapNames()) {
      NamedMap& map = maps->emplace_back();
      map.name = name;
      map.rows = *FindJointMap(name);
      map.targets = TableOf(map.rows);
    }
    return maps;
  }();
  return *kMaps;
}

std::string_view TargetOf(std::string_view name, const Targets& targets) {
  const std::string_view last = name.substr(name.rfind(':') + 1);
  for (const std::string_view word : {name, last}) {
    const auto target = targets.find(word);
    if (target != targets.end()) return target->second;
  }
  return name;
}

// Attachment points have everyday names, such as Spine. A skeleton with only
// such joints is not a skeleton of the avatar.
bool IsBone(int32_t joint) {
  return joint >= 0 && AvatarJoints()[static_cast<size_t>(joint)].kind ==
                           AvatarJointKind::kBone;
}

// Counts the bones that the joints of `skeleton` drive by `targets`, each once.
int64_t CountBones(const Skeleton& skeleton, const Targets& targets) {
  std::vector<bool> driven(AvatarJoints().size());
  int64_t bones = 0;
  for (const Node& node : skeleton.nodes) {
    if (IsEndSite(node)) continue;
    const int32_t joint = FindAvatarJoint(TargetOf(node.name, targets));
    if (!IsBone(joint) || driven[static_cast<size_t>(joint)]) continue;
    driven[static_cast<size_t>(joint)] = true;
    ++bones;
  }
  return bones;
}

std::vector<std::string> NamesBy(const Skeleton& skeleton,
                                 const Targets& targets) {
  std::vector<std::string> names;
  names.reserve(skeleton.nodes.size());
  for (const Node& node : skeleton.nodes) {
    const std::string_view target = TargetOf(node.name, targets);
    names.emplace_back(FindAvatarJoint(target) < 0 ? "" : target);
  }
  return names;
}

AvatarNaming NameBy(const Skeleton& skeleton, const Targets& targets) {
  return {NamesBy(skeleton, targets), {}, CountBones(skeleton, targets)};
}

AvatarNaming Recognize(const Skeleton& skeleton) {
  const NamedMap* best = nullptr;
  int64_t most = CountBones(skeleton, {});
  AvatarNaming own;
  own.bones = most;
  for (const NamedMap& map : BuiltInTables()) {
    const int64_t bones = CountBones(skeleton, map.targets);
    if (bones < kLeastBones || bones <= most) continue;
    most = bones;
    best = &map;
  }
  if (best == nullptr) return own;
  return {NamesBy(skeleton, best->targets), best->name, most};
}

}  // namespace

AvatarNaming NameAvatarJoints(const AnimFormat& format,
                              const Skeleton& skeleton) {
  if (!format.joint_map_rows.empty()) {
    return NameBy(skeleton, TableOf(format.joint_map_rows));
  }
  const std::string_view name = format.joint_map;
  if (name.empty() || name == kAutoAnimMap) return Recognize(skeleton);
  for (const NamedMap& map : BuiltInTables()) {
    if (map.name == name) return NameBy(skeleton, map.targets);
  }
  AvatarNaming own;
  own.bones = CountBones(skeleton, {});
  return own;
}

}  // namespace bvhmill
