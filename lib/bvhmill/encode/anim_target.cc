#include "bvhmill/encode/anim_target.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/anim/viewer/viewer_take.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {
namespace {

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
