#include "bvhmill/encode/anim_target.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "bvhmill/anim/anim_format.h"
#include "bvhmill/anim/avatar.h"
#include "bvhmill/anim/viewer_take.h"
#include "bvhmill/edit/joint_map.h"

namespace bvhmill {
namespace {

// As many as a key can have times.
constexpr int64_t kMostFrames = 65536;

bool IsViewer(const AnimFormat& format) {
  return format.profile == AnimProfile::kViewer;
}

std::string Shortest(float value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, end};
}

// Attachment points have everyday names, such as Spine: a skeleton that has
// only such joints is none of the avatar's.
bool IsBone(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  return joint >= 0 && AvatarJoints()[static_cast<size_t>(joint)].kind ==
                           AvatarJointKind::kBone;
}

// The first frame is mostly the reference.
int64_t PlayedFrames(const AnimFormat& format, int64_t frames) {
  const bool plays_all =
      !IsViewer(format) && format.reference == AnimReference::kRestPose;
  return plays_all || frames < 2 ? frames : frames - 1;
}

// As the conversion of each profile rounds them.
float SecondsOf(const AnimFormat& format, const EncodeContext& context) {
  const int64_t steps =
      std::max<int64_t>(PlayedFrames(format, context.frames) - 1, 1);
  if (IsViewer(format)) {
    return static_cast<float>(steps) * static_cast<float>(context.frame_time);
  }
  if (!HasRate(context.frame_time)) return 0;
  return static_cast<float>(context.frame_time * static_cast<double>(steps));
}

void CheckTimes(const AnimFormat& format, const EncodeContext& context) {
  const float seconds = SecondsOf(format, context);
  if (seconds > kMaxAnimSeconds) {
    context.log->Add(IssueCode::TARGET_ANIM_DURATION, {},
                     {{"seconds", Shortest(seconds)}});
  }
  const int64_t played = PlayedFrames(format, context.frames);
  if (!IsViewer(format) && played > kMostFrames) {
    context.log->Add(IssueCode::TARGET_ANIM_FRAMES, {},
                     {{"count", std::to_string(played)}});
  }
}

void CheckNames(const AnimFormat& format, const EncodeContext& context) {
  const std::vector<Node>& nodes = context.skeleton->nodes;
  const std::vector<std::string> names = AvatarNames(format, *context.skeleton);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (IsEndSite(nodes[i])) continue;
    if (IsBone(names.empty() ? nodes[i].name : names[i])) return;
  }
  context.log->Add(IssueCode::TARGET_ANIM_NO_JOINTS, {});
}

void CheckImport(const EncodeContext& context) {
  ViewerTake take;
  int32_t node = 0;
  const ViewerStatus status =
      TakeFromSkeleton(*context.skeleton, context.frames, &take, &node);
  if (status != ViewerStatus::kOk) {
    Location location;
    location.joint = node;
    location.joint_name = DisplayName(*context.skeleton, node);
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

using Names = std::map<std::string_view, std::string_view>;

// As edits look for it: the whole name, then what stands behind the last colon.
std::string_view TargetOf(std::string_view name, const Names& targets) {
  const std::string_view last = name.substr(name.rfind(':') + 1);
  for (const std::string_view word : {name, last}) {
    const auto target = targets.find(word);
    if (target != targets.end()) return target->second;
  }
  return name;
}

}  // namespace

std::vector<std::string> AvatarNames(const AnimFormat& format,
                                     const Skeleton& skeleton) {
  std::vector<std::string> names;
  if (format.joint_map.empty()) return names;
  const auto rows = FindJointMap(format.joint_map);
  if (!rows.ok()) return names;
  Names targets;
  for (const JointMapRow& row : *rows) targets.emplace(row.source, row.target);
  names.reserve(skeleton.nodes.size());
  for (const Node& node : skeleton.nodes) {
    const std::string_view target = TargetOf(node.name, targets);
    names.emplace_back(FindAvatarJoint(target) < 0 ? "" : target);
  }
  return names;
}

void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context) {
  const auto nodes = static_cast<int64_t>(context.skeleton->nodes.size());
  static_cast<void>(WorkFrom(context.budget, nodes * kAvatarNameUnits));
  CheckTimes(format, context);
  if (IsViewer(format)) {
    CheckImport(context);
  } else {
    CheckNames(format, context);
  }
}

}  // namespace bvhmill
