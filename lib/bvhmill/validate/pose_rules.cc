// The rest pose, and the poses at the ends of a clip.

#include <algorithm>
#include <bit>
#include <string>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/joint_rotation.h"
#include "bvhmill/validate/rules.h"

namespace bvhmill {
namespace {

void CheckPairs(const CheckedClip& clip, IssueLog* log) {
  const auto length = [&](int32_t node) {
    return double{
        Length(clip.skeleton.nodes[static_cast<size_t>(node)].offset)};
  };
  for (const auto& [left, right] : clip.facts.mirror_pairs) {
    const double longer = std::max(length(left), length(right));
    const double shorter = std::min(length(left), length(right));
    const double share = longer > 0 ? 1 - shorter / longer : 0;
    if (share <= clip[Threshold::DATA_ASYMMETRY_difference] ||
        longer <= clip[Threshold::DATA_ASYMMETRY_reach] * clip.motion.reach) {
      continue;
    }
    log->Add(IssueCode::DATA_ASYMMETRY, LocationOf(clip, left),
             {{"joint", QuotedName(clip.skeleton, left)},
              {"other", QuotedName(clip.skeleton, right)},
              {"length", Short(length(left))},
              {"other_length", Short(length(right))},
              {"percent", Short(100 * share)}});
  }
}

// A pose that stands apart is the reference of a capture; one that does not is
// where the motion begins.
void CheckRestPose(const CheckedClip& clip, IssueLog* log) {
  const Skeleton& skeleton = clip.skeleton;
  const double limit = clip[Threshold::DATA_REST_POSE_degrees];
  const double angle = LargestAngle(skeleton, clip.Row(0), {}, limit);
  if (!(angle <= limit)) return;
  const double moved = LargestAngle(skeleton, clip.Row(0), clip.Row(1), limit);
  if (!(moved > limit)) return;
  Location at;
  at.frame = 0;
  log->Add(IssueCode::DATA_REST_POSE, at, {{"degrees", Short(angle)}});
}

void CheckLoop(const CheckedClip& clip, IssueLog* log) {
  const Skeleton& skeleton = clip.skeleton;
  const MotionFacts& motion = clip.motion;
  const int64_t frames = motion.last_frame() - motion.first_frame() + 1;
  if (static_cast<double>(frames) * motion.dt <
      clip[Threshold::DATA_LOOP_seconds]) {
    return;
  }
  const auto first = clip.Row(motion.first_frame());
  const auto last = clip.Row(motion.last_frame());
  const double limit = clip[Threshold::DATA_LOOP_degrees];
  const double angle = LargestAngle(skeleton, first, last, limit);
  if (!(angle <= limit)) return;
  // It is elsewhere in between: at two powers of two.
  const auto power = static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(clip.frames - 1)));
  const double moved =
      std::max(LargestAngle(skeleton, first, clip.Row(power), limit),
               LargestAngle(skeleton, first, clip.Row(power / 2), limit));
  if (!(moved > limit)) return;
  Location at;
  at.frame = motion.last_frame();
  log->Add(IssueCode::DATA_LOOP, at, {{"degrees", Short(angle)}});
}

}  // namespace

void CheckPoses(const CheckedClip& clip, IssueLog* log) {
  CheckPairs(clip, log);
  if (clip.frames < 2 || clip.motion.non_finite_rows > 0) return;
  CheckRestPose(clip, log);
  CheckLoop(clip, log);
}

}  // namespace bvhmill
