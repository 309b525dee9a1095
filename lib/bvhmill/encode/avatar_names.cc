#include "bvhmill/encode/avatar_names.h"

#include <span>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// Fewer joints in common may be chance.
constexpr int64_t kLeastBones = 4;

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

// The bones that the joints' own names drive.
AvatarNaming OwnNames(const Skeleton& skeleton) {
  AvatarNaming own;
  own.bones = CountBones(skeleton, [&](size_t i) {
    return std::string_view(skeleton.nodes[i].name);
  });
  return own;
}

template <typename TargetOfNode>
std::vector<std::string> NamesBy(const Skeleton& skeleton,
                                 TargetOfNode target_of) {
  std::vector<std::string> names;
  names.reserve(skeleton.nodes.size());
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const auto target = target_of(i);
    names.emplace_back(FindAvatarJoint(target) < 0 ? "" : target);
  }
  return names;
}

AvatarNaming NameBy(const Skeleton& skeleton,
                    std::span<const JointMapRow> rows) {
  const auto targets = NamesByMap(rows, skeleton);
  const auto target_of = [&](size_t i) {
    return targets[i].value_or(skeleton.nodes[i].name);
  };
  return {NamesBy(skeleton, target_of), {}, CountBones(skeleton, target_of)};
}

// By the roles of the joints. A joint without a role is searched by its own
// name.
AvatarNaming NameByRoles(const Skeleton& skeleton) {
  const Recognition recognition = Recognize(skeleton);
  const NamingScheme& avatar = *FindNamingScheme(kAvatarScheme);
  const auto target_of = [&](size_t i) {
    std::string name = NameOfRole(avatar, recognition.roles[i]);
    return name.empty() ? skeleton.nodes[i].name : name;
  };
  const AvatarNaming own = OwnNames(skeleton);
  const int64_t bones = CountBones(skeleton, target_of);
  if (bones < kLeastBones || bones <= own.bones) return own;
  const bool is_mixed = recognition.scheme == nullptr;
  return {NamesBy(skeleton, target_of),
          is_mixed ? kMixedNames : recognition.scheme->name, bones};
}

}  // namespace

AvatarNaming NameAvatarJoints(const AnimFormat& format,
                              const Skeleton& skeleton) {
  if (!format.joint_map_rows.empty()) {
    return NameBy(skeleton, format.joint_map_rows);
  }
  const std::string_view name = format.joint_map;
  if (name.empty() || name == kAutoAnimMap) return NameByRoles(skeleton);
  const auto rows = FindJointMap(name);
  return rows.ok() ? NameBy(skeleton, *rows) : OwnNames(skeleton);
}

}  // namespace bvhmill
