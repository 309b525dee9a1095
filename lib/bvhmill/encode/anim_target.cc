#include "bvhmill/encode/anim_target.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// Instead of a scheme: the names are those of several schemes.
constexpr std::string_view kMixedNames = "mixed";

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

// The number of different times that a key can have.
constexpr int64_t kMaxFrames = 65536;

bool IsViewer(const AnimFormat& format) {
  return format.profile == AnimProfile::kViewer;
}

std::string Shortest(float value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, end};
}

// The number of frames that are played. If the reference pose is kAuto, only
// the conversion finds out whether the first frame is played: it counts if
// `if_unknown`.
int64_t PlayedFrames(const AnimFormat& format, int64_t frames,
                     bool if_unknown) {
  const bool plays_all =
      !IsViewer(format) &&
      (format.reference == AnimReference::kRestPose ||
       (format.reference == AnimReference::kAuto && if_unknown));
  return plays_all || frames < 2 ? frames : frames - 1;
}

// Rounded as the conversion of each profile does.
float SecondsOf(const AnimFormat& format, const EncodeContext& context,
                int64_t played) {
  const int64_t steps = std::max<int64_t>(played - 1, 1);
  if (IsViewer(format)) {
    return static_cast<float>(steps) *
           static_cast<float>(context.clip->motion.frame_time);
  }
  if (!HasRate(context.clip->motion.frame_time)) return 0;
  return static_cast<float>(context.clip->motion.frame_time *
                            static_cast<double>(steps));
}

void CheckTimes(const AnimFormat& format, const EncodeContext& context) {
  const int64_t least = PlayedFrames(format, context.frames(), false);
  const int64_t most = PlayedFrames(format, context.frames(), true);
  if (SecondsOf(format, context, least) > kMaxAnimSeconds) {
    context.log->Add(IssueCode::TARGET_ANIM_DURATION, {},
                     {{"seconds", Shortest(SecondsOf(format, context, most))}});
  }
  if (!IsViewer(format) && least > kMaxFrames) {
    context.log->Add(IssueCode::TARGET_ANIM_FRAMES, {},
                     {{"count", std::to_string(most)}});
  }
}

// Common names such as head match bones in skeletons of any kind.
bool AreFew(int64_t bones, const Skeleton& skeleton) {
  constexpr int64_t kFewBones = 8;
  constexpr int64_t kLeastShare = 4;
  return bones < kFewBones && bones * kLeastShare < JointCount(skeleton);
}

// An .anim moves one avatar: by the joints of the first tree that drives it.
void CheckFigures(const AvatarNaming& naming, const EncodeContext& context) {
  const std::vector<Node>& nodes = context.skeleton().nodes;
  int64_t roots = 0;
  int64_t figure = 0;
  size_t root = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool is_root = nodes[i].parent < 0;
    if (is_root) ++roots;
    if (figure > 0) continue;
    if (is_root) root = i;
    const std::string& name =
        naming.names.empty() ? nodes[i].name : naming.names[i];
    if (!IsEndSite(nodes[i]) && FindAvatarJoint(name) >= 0) figure = roots;
  }
  if (roots < 2) return;
  Location location;
  location.joint = static_cast<int32_t>(root);
  location.joint_name = DisplayName(context.skeleton(), *location.joint);
  context.log->Add(IssueCode::TARGET_ANIM_FIGURES, location,
                   {{"count", std::to_string(roots)},
                    {"figure", std::to_string(figure)},
                    {"joint", Quote(location.joint_name)}});
}

void CheckNames(const AnimFormat& format, const EncodeContext& context) {
  const Skeleton& skeleton = context.skeleton();
  const AvatarNaming naming = NameAvatarJoints(format, skeleton);
  if (naming.bones == 0) {
    const std::string root =
        skeleton.nodes.empty() ? "" : DisplayName(skeleton, 0);
    context.log->Add(IssueCode::TARGET_ANIM_NO_JOINTS, {},
                     {{"root", Quote(root)}});
    return;
  }
  CheckFigures(naming, context);
  IssueArgs args = {{"count", std::to_string(naming.bones)},
                    {"joints", std::to_string(JointCount(skeleton))}};
  // A table that was written for the clip says which joints are meant.
  const bool is_meant = format.accept_odd || !format.joint_map_rows.empty();
  if (AreFew(naming.bones, skeleton) && !is_meant) {
    context.log->Add(IssueCode::TARGET_ANIM_FEW_JOINTS, {}, args);
  }
  if (naming.map.empty()) return;
  args.emplace_back("map", std::string(naming.map));
  context.log->Add(IssueCode::TARGET_ANIM_MAP, {}, std::move(args));
}

// Without a known unit, the viewer takes one unit for an inch.
void CheckUnit(const AnimFormat& format, const EncodeContext& context) {
  if (!format.upload || format.scale_to_avatar) return;
  if (context.meters_per_unit > 0) return;
  context.log->Add(IssueCode::TARGET_ANIM_UNIT, {});
}

void CheckImport(const EncodeContext& context) {
  ViewerTake take;
  int32_t node = 0;
  const ViewerStatus status =
      TakeFromSkeleton(context.skeleton(), context.frames(), &take, &node);
  if (status != ViewerStatus::kOk) {
    Location location;
    location.joint = node;
    location.joint_name = DisplayName(context.skeleton(), node);
    return context.log->Add(
        IssueCode::TARGET_ANIM_VIEWER, location,
        {{"status", std::string(ViewerStatusName(status))},
         {"why", std::string(ViewerStatusMeaning(status))}});
  }
  if (static_cast<int64_t>(take.joints.size()) > kMaxAnimJoints) {
    context.log->Add(IssueCode::TARGET_ANIM_JOINT_COUNT, {},
                     {{"count", std::to_string(take.joints.size())}});
  }
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

void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context) {
  const auto nodes = static_cast<int64_t>(context.skeleton().nodes.size());
  static_cast<void>(WorkFrom(context.budget, nodes * kAvatarNameUnits));
  CheckTimes(format, context);
  if (IsViewer(format)) {
    CheckImport(context);
  } else {
    CheckNames(format, context);
    CheckUnit(format, context);
  }
}

}  // namespace bvhmill
