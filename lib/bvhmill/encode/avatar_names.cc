#include "bvhmill/encode/avatar_names.h"

#include <span>
#include <unordered_map>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/clip/bare_name.h"
#include "bvhmill/edit/joint_map.h"

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
  for (const std::string_view word : {name, BareName(name)}) {
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

// Counts the bones that the joints of `skeleton` drive, each once. `target_of`
// gives the avatar's name for a node.
template <typename TargetOfNode>
int64_t CountBones(const Skeleton& skeleton, TargetOfNode target_of) {
  std::vector<bool> driven(AvatarJoints().size());
  int64_t bones = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (IsEndSite(skeleton.nodes[i])) continue;
    const int32_t joint = FindAvatarJoint(target_of(i));
    if (!IsBone(joint) || driven[static_cast<size_t>(joint)]) continue;
    driven[static_cast<size_t>(joint)] = true;
    ++bones;
  }
  return bones;
}

int64_t CountBones(const Skeleton& skeleton, const Targets& targets) {
  return CountBones(skeleton, [&](size_t i) {
    return TargetOf(skeleton.nodes[i].name, targets);
  });
}

template <typename TargetOfNode>
std::vector<std::string> NamesBy(const Skeleton& skeleton,
                                 TargetOfNode target_of) {
  std::vector<std::string> names;
  names.reserve(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const std::string_view target = target_of(i);
    names.emplace_back(FindAvatarJoint(target) < 0 ? "" : target);
  }
  return names;
}

std::vector<std::string> NamesBy(const Skeleton& skeleton,
                                 const Targets& targets) {
  return NamesBy(skeleton, [&](size_t i) {
    return TargetOf(skeleton.nodes[i].name, targets);
  });
}

AvatarNaming NameBy(const Skeleton& skeleton, const Targets& targets) {
  return {NamesBy(skeleton, targets), {}, CountBones(skeleton, targets)};
}

AvatarNaming NameBy(const Skeleton& skeleton,
                    std::span<const JointMapRow> rows) {
  const auto targets = NamesByMap(rows, skeleton);
  const auto target_of = [&](size_t i) {
    return targets[i].value_or(skeleton.nodes[i].name);
  };
  return {NamesBy(skeleton, target_of), {}, CountBones(skeleton, target_of)};
}

AvatarNaming Recognize(const Skeleton& skeleton) {
  const NamedMap* best = nullptr;
  int64_t most = CountBones(skeleton, Targets());
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
    return NameBy(skeleton, format.joint_map_rows);
  }
  const std::string_view name = format.joint_map;
  if (name.empty() || name == kAutoAnimMap) return Recognize(skeleton);
  for (const NamedMap& map : BuiltInTables()) {
    if (map.name == name) return NameBy(skeleton, map.targets);
  }
  AvatarNaming own;
  own.bones = CountBones(skeleton, Targets());
  return own;
}

}  // namespace bvhmill
