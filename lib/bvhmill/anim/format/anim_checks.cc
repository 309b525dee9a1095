#include "bvhmill/anim/format/anim_checks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

void CheckPriority(int32_t priority, std::string_view field, size_t offset,
                   const AnimPlace& place, AnimLog* log) {
  const bool is_high = priority > kMaxAnimPriority;
  if (priority >= kMinAnimPriority && !is_high) return;
  log->Add(
      is_high ? IssueCode::ANIM_PRIORITY_HIGH
              : IssueCode::ANIM_PRIORITY_INVALID,
      offset, place,
      {{"field", std::string(field)}, {"value", std::to_string(priority)}});
}

void CheckDuration(float duration, size_t offset, AnimLog* log) {
  log->CheckFinite(duration, "the duration", offset, {});
  if (std::isnan(duration)) return;
  const IssueArgs args = {{"seconds", ShowNumber(duration)}};
  if (duration > kMaxAnimSeconds) {
    log->Add(IssueCode::ANIM_DURATION_LONG, offset, {}, args);
  }
  if (!(duration > 0)) {
    log->Add(IssueCode::ANIM_DURATION_ODD, offset, {}, args);
  }
}

void CheckEmote(const std::string& emote, size_t offset, AnimLog* log) {
  constexpr std::string_view kIgnored = "Closed_Mouth";
  if (emote.empty()) return;
  const IssueArgs args = {{"emote", Quote(emote)}};
  if (emote == kIgnored) {
    log->Add(IssueCode::ANIM_EMOTE_IGNORED, offset, {}, args);
  } else if (!IsKnownEmote(emote)) {
    log->Add(IssueCode::ANIM_EMOTE_UNKNOWN, offset, {}, args);
  }
}

void CheckLoop(const AnimMotion& motion, size_t offset, AnimLog* log) {
  log->CheckFinite(motion.loop_in, "the loop-in point", offset, {});
  log->CheckFinite(motion.loop_out, "the loop-out point", offset + 4, {});
  const bool is_good = motion.loop_in >= 0 &&
                       motion.loop_in < motion.loop_out &&
                       motion.loop_out <= motion.duration;
  if (motion.loop == 0 || is_good) return;
  log->Add(IssueCode::ANIM_LOOP_ODD, offset, {},
           {{"loop_in", ShowNumber(motion.loop_in)},
            {"loop_out", ShowNumber(motion.loop_out)},
            {"seconds", ShowNumber(motion.duration)}});
}

void CheckHandPose(uint32_t pose, size_t offset, AnimLog* log) {
  if (pose <= kMaxAnimHandPose) return;
  log->Add(pose > kMaxReadHandPose ? IssueCode::ANIM_HAND_POSE_INVALID
                                   : IssueCode::ANIM_HAND_POSE_UNKNOWN,
           offset, {}, {{"value", std::to_string(pose)}});
}

bool IsVolume(std::string_view name) {
  const int32_t joint = FindAvatarJoint(name);
  return joint >= 0 && AvatarJoints()[static_cast<size_t>(joint)].kind ==
                           AvatarJointKind::kCollisionVolume;
}

void CheckVolume(std::string_view name, std::string_view field, size_t offset,
                 AnimLog* log) {
  if (IsVolume(name)) return;
  log->Add(IssueCode::ANIM_CONSTRAINT_VOLUME, offset, {},
           {{"field", std::string(field)}, {"name", Quote(name)}});
}

// True if the file has `joint` before the first joint that the avatar does not
// have.
bool IsAnimated(int32_t joint, const AnimMotion& motion) {
  for (const AnimJoint& candidate : motion.joints) {
    const int32_t found = FindAvatarJoint(candidate.name);
    if (found < 0) return false;
    if (found == joint) return true;
  }
  return false;
}

void CheckChain(const AnimConstraint& constraint, const AnimMotion& motion,
                size_t offset, AnimLog* log) {
  const auto missing = MissingJointOf(constraint, motion);
  if (!missing) return;
  log->Add(IssueCode::ANIM_CONSTRAINT_UNREACHED, offset, {},
           {{"name", Quote(constraint.source_volume)},
            {"joint", std::string(*missing)}});
}

void CheckNumbers(const AnimConstraint& c, size_t offset, AnimLog* log) {
  const std::array<float, 13> numbers = {
      c.source_offset[0],    c.source_offset[1],    c.source_offset[2],
      c.target_offset[0],    c.target_offset[1],    c.target_offset[2],
      c.target_direction[0], c.target_direction[1], c.target_direction[2],
      c.ease_in_start,       c.ease_in_stop,        c.ease_out_start,
      c.ease_out_stop};
  for (const float number : numbers) {
    log->CheckFinite(number, "a number of a constraint", offset, {});
  }
}

std::string CurveName(bool is_rotation) {
  return is_rotation ? "rotation keys" : "position keys";
}

// Rounding makes the squared length of a unit quaternion at most this large.
constexpr float kLongestSquare = 1.001F;

bool IsLong(const AnimKey& key) {
  const Vec3<float> v = ComponentsOf(key, kAnimRotationRange);
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > kLongestSquare;
}

void CheckLengths(std::span<const AnimKey> keys, size_t offset,
                  const AnimPlace& place, AnimLog* log) {
  const auto first = std::find_if(keys.begin(), keys.end(), IsLong);
  const int64_t count = std::count_if(first, keys.end(), IsLong);
  if (count == 0) return;
  offset += static_cast<size_t>(first - keys.begin()) * kAnimKeyBytes;
  log->Add(IssueCode::ANIM_ROTATION_LONG, offset, place, {}, count);
}

}  // namespace

void CheckHeader(const AnimMotion& motion, const HeaderOffsets& offsets,
                 AnimLog* log) {
  CheckPriority(motion.base_priority, "the base priority",
                offsets.base_priority, {}, log);
  CheckDuration(motion.duration, offsets.duration, log);
  CheckEmote(motion.emote, offsets.emote, log);
  CheckLoop(motion, offsets.loop_in, log);
  log->CheckFinite(motion.ease_in, "the ease-in", offsets.ease_in, {});
  log->CheckFinite(motion.ease_out, "the ease-out", offsets.ease_in + 4, {});
  CheckHandPose(motion.hand_pose, offsets.hand_pose, log);
}

void CheckJointName(std::string_view name, size_t offset,
                    const AnimPlace& place, AnimLog* log) {
  const IssueArgs args = {{"joint", Quote(name)}};
  if (name == "mRoot" || name == "mScreen") {
    log->Add(IssueCode::ANIM_JOINT_FORBIDDEN, offset, place, args);
  } else if (FindAvatarJoint(name) < 0) {
    log->Add(IssueCode::ANIM_JOINT_UNKNOWN, offset, place, args);
  }
}

void CheckJointPriority(int32_t priority, size_t offset, const AnimPlace& place,
                        AnimLog* log) {
  CheckPriority(priority, "the priority of a joint", offset, place, log);
}

void CheckRepeatedJoints(const AnimMotion& motion,
                         std::span<const size_t> offsets, AnimLog* log) {
  std::vector<int32_t> first(AvatarJoints().size(), -1);
  for (size_t i = 0; i < motion.joints.size(); ++i) {
    const std::string& name = motion.joints[i].name;
    const int32_t joint = FindAvatarJoint(name);
    if (joint < 0) continue;
    const auto index = static_cast<int32_t>(i);
    int32_t& earlier = first[static_cast<size_t>(joint)];
    if (earlier >= 0) {
      log->Add(IssueCode::ANIM_JOINT_REPEATED, offsets[i], {index, name},
               {{"joint", Quote(name)}, {"first", std::to_string(earlier)}});
    } else {
      earlier = index;
    }
  }
}

void CheckKeys(std::span<const AnimKey> keys, bool is_rotation, float duration,
               size_t offset, const AnimPlace& place, AnimLog* log) {
  int64_t back = 0;
  int64_t equal = 0;
  for (size_t i = 1; i < keys.size(); ++i) {
    back += keys[i].time < keys[i - 1].time ? 1 : 0;
    equal += keys[i].time == keys[i - 1].time ? 1 : 0;
  }
  const IssueArgs args = {{"field", CurveName(is_rotation)}};
  if (back > 0) {
    log->Add(IssueCode::ANIM_KEYS_UNSORTED, offset, place, args, back);
  }
  if (equal > 0) {
    log->Add(IssueCode::ANIM_KEYS_REPEATED, offset, place, args, equal);
  }
  if (!is_rotation || keys.empty()) return;
  if (std::isnan(duration) || duration < 0) {
    log->Add(IssueCode::ANIM_KEY_TIME, offset, place,
             {{"seconds", ShowNumber(duration)}},
             static_cast<int64_t>(keys.size()));
  }
  CheckLengths(keys, offset, place, log);
}

// The chain is the joint to which the volume belongs, and chain_length joints
// above it.
std::optional<std::string_view> MissingJointOf(const AnimConstraint& constraint,
                                               const AnimMotion& motion) {
  if (!IsVolume(constraint.source_volume)) return std::nullopt;
  int32_t joint = FindAvatarJoint(constraint.source_volume);
  for (int i = 0; i <= constraint.chain_length; ++i) {
    joint = AvatarJoints()[static_cast<size_t>(joint)].parent;
    if (joint < 0) return "mRoot";
    if (!IsAnimated(joint, motion)) {
      return AvatarJoints()[static_cast<size_t>(joint)].name;
    }
  }
  return std::nullopt;
}

void CheckConstraint(const AnimConstraint& constraint, const AnimMotion& motion,
                     size_t offset, AnimLog* log) {
  const IssueArgs chain = {{"value", std::to_string(constraint.chain_length)}};
  if (constraint.chain_length > motion.joints.size()) {
    log->Add(IssueCode::ANIM_CONSTRAINT_CHAIN, offset, {}, chain);
  } else if (constraint.chain_length > kMaxAnimChain) {
    log->Add(IssueCode::ANIM_CONSTRAINT_CHAIN_LONG, offset, {}, chain);
  }
  if (constraint.type >= kAnimConstraintTypes) {
    log->Add(IssueCode::ANIM_CONSTRAINT_TYPE, offset + 1, {},
             {{"value", std::to_string(constraint.type)}});
  }
  CheckVolume(constraint.source_volume, "the source of a constraint",
              offset + 2, log);
  if (constraint.target_volume != "GROUND") {
    CheckVolume(constraint.target_volume, "the target of a constraint",
                offset + 30, log);
  }
  CheckNumbers(constraint, offset + 18, log);
  CheckChain(constraint, motion, offset, log);
}

}  // namespace bvhmill
