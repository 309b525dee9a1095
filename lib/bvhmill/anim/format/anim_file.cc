#include "bvhmill/anim/format/anim_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

// The joint that an issue is about; -1 for none.
struct AnimPlace {
  int32_t joint = -1;
  std::string_view joint_name;
};

// Adds issues to a log, and finds out if the viewer would play and upload the
// file. By the severities of the catalogue, an issue that is an error when
// lenient prevents the viewer from playing the file; one that is an error when
// strict prevents an upload.
class AnimLog {
 public:
  explicit AnimLog(IssueLog* log) : log_(log) {}

  // `offset` is the byte of the file that the issue is about.
  void Add(IssueCode code, size_t offset, const AnimPlace& place,
           IssueArgs args = {}, int64_t occurrences = 1) {
    const CatalogueEntry& entry = EntryOf(code);
    plays_ &= entry.lenient != Severity::kError;
    uploads_ &= entry.strict != Severity::kError;
    if (occurrences == 1 && log_->Repeat(code, place.joint)) return;
    Location location;
    location.byte_offset = static_cast<int64_t>(offset);
    if (place.joint >= 0) {
      location.joint = place.joint;
      location.joint_name = ToUtf8(place.joint_name);
    }
    log_->Add(code, location, std::move(args), occurrences);
  }
  // Adds ANIM_NOT_FINITE if `value` is not finite.
  void CheckFinite(float value, std::string_view field, size_t offset,
                   const AnimPlace& place) {
    if (std::isfinite(value)) return;
    Add(IssueCode::ANIM_NOT_FINITE, offset, place,
        {{"field", std::string(field)}});
  }

  bool plays() const { return plays_; }
  bool uploads() const { return uploads_; }

 private:
  IssueLog* log_;
  bool plays_ = true;
  bool uploads_ = true;
};

// The shortest text that reads back as the same value.
std::string ShowNumber(float value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, end};
}

// The checks of the viewer, one function for each part of the file.

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

// The first joint of the constraint's chain that `motion` does not animate, in
// the viewer's order of search; none if all are animated, or the source is not
// a collision volume. The chain is the joint to which the volume belongs, and
// chain_length joints above it.
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

// Byte offsets of fields of the header.
struct HeaderOffsets {
  size_t base_priority = 0;
  size_t duration = 0;
  size_t emote = 0;
  size_t loop_in = 0;
  size_t ease_in = 0;
  size_t hand_pose = 0;
};

// Checks all fields except the joints.
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

// `offsets` has the byte offset of each joint. Different names of the same
// joint of the avatar count as equal.
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

// The first key is at byte `offset`.
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

// Requires that `motion` has all its joints.
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

// Reading.

// Reads the bytes of a file one after the other, never beyond their end. If a
// value does not fit into the remaining bytes, the cursor fails: this and every
// later value is 0 or empty. The bytes must outlive it.
class AnimCursor {
 public:
  explicit AnimCursor(std::string_view bytes) : bytes_(bytes) {}

  size_t offset() const { return offset_; }
  size_t left() const { return bytes_.size() - offset_; }
  bool failed() const { return failed_; }

  uint8_t U8() { return static_cast<uint8_t>(Number(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Number(2)); }
  uint32_t U32() { return Number(4); }
  int32_t S32() { return static_cast<int32_t>(Number(4)); }
  float F32() { return std::bit_cast<float>(Number(4)); }
  Vec3<float> Vector() {
    const float x = F32();
    const float y = F32();
    return {x, y, F32()};
  }

  // Bytes up to a NUL. Reads the NUL, which is not part of the text.
  std::string_view Text() {
    const size_t end = bytes_.find('\0', offset_);
    if (end == bytes_.npos) failed_ = true;
    return failed_ ? std::string_view() : Take(end + 1 - offset_, 1);
  }

  // A name in kAnimFixedNameBytes bytes; it ends at the first NUL.
  std::string_view FixedName() {
    if (left() < kAnimFixedNameBytes) failed_ = true;
    if (failed_) return {};
    const std::string_view all = Take(kAnimFixedNameBytes, 0);
    return all.substr(0, all.find('\0'));
  }

 private:
  // Moves on by `size` bytes, and returns them without the last `without`.
  std::string_view Take(size_t size, size_t without) {
    const std::string_view taken = bytes_.substr(offset_, size - without);
    offset_ += size;
    return taken;
  }

  uint32_t Number(size_t size) {
    if (left() < size) failed_ = true;
    if (failed_) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes_[offset_ + i]))
               << (8 * i);
    }
    offset_ += size;
    return value;
  }

  std::string_view bytes_;
  size_t offset_ = 0;
  bool failed_ = false;
};

// The rotation about Z, then Y, then X, in degrees.
Quat<float> FromLegacyAngles(const Vec3<float>& degrees) {
  return Multiply(Multiply(AxisQuat(0, degrees[0]), AxisQuat(1, degrees[1])),
                  AxisQuat(2, degrees[2]));
}

AnimKey MakeKey(uint16_t time, const Vec3<float>& v, float range) {
  return {time, EncodeTwice(v[0], range), EncodeTwice(v[1], range),
          EncodeTwice(v[2], range)};
}

class Reader {
 public:
  Reader(std::string_view bytes, const Limits& limits, IssueLog* log)
      : cursor_(bytes), limits_(limits), log_(log) {}

  AnimReadResult Read() {
    result_.read = ReadVersion() && ReadHeader() && ReadJoints() &&
                   ReadConstraints() && CheckEnd();
    result_.plays = result_.read && log_.plays();
    result_.uploads = result_.read && log_.uploads();
    return std::move(result_);
  }

 private:
  AnimMotion& motion() { return result_.motion; }

  // False, with an issue, if the bytes ended within `field`.
  bool IsWhole(std::string_view field) {
    if (!cursor_.failed()) return true;
    log_.Add(IssueCode::ANIM_TRUNCATED, cursor_.offset(), place_,
             {{"field", std::string(field)}});
    return false;
  }

  bool IsNameShort(std::string_view name, size_t offset) {
    if (!Exceeds(static_cast<int64_t>(name.size()), limits_.max_name_bytes)) {
      return true;
    }
    log_.Add(IssueCode::LIMIT_NAME_BYTES, offset, {place_.joint, {}},
             {{"limit", std::to_string(limits_.max_name_bytes)}});
    return false;
  }

  bool ReadVersion() {
    const uint16_t version = cursor_.U16();
    const uint16_t sub_version = cursor_.U16();
    if (!IsWhole("the version")) return false;
    is_legacy_ =
        version == kAnimLegacyVersion && sub_version == kAnimLegacySubVersion;
    if (is_legacy_) log_.Add(IssueCode::ANIM_VERSION_OLD, 0, place_);
    if (is_legacy_ ||
        (version == kAnimVersion && sub_version == kAnimSubVersion)) {
      return true;
    }
    log_.Add(IssueCode::ANIM_VERSION, 0, place_,
             {{"version",
               std::to_string(version) + "." + std::to_string(sub_version)}});
    return false;
  }

  bool ReadHeader() {
    HeaderOffsets offsets;
    offsets.base_priority = cursor_.offset();
    motion().base_priority = cursor_.S32();
    offsets.duration = cursor_.offset();
    motion().duration = cursor_.F32();
    offsets.emote = cursor_.offset();
    const std::string_view emote = cursor_.Text();
    if (!IsWhole("the header") || !IsNameShort(emote, offsets.emote)) {
      return false;
    }
    motion().emote = emote;
    offsets.loop_in = cursor_.offset();
    motion().loop_in = cursor_.F32();
    motion().loop_out = cursor_.F32();
    motion().loop = cursor_.S32();
    offsets.ease_in = cursor_.offset();
    motion().ease_in = cursor_.F32();
    motion().ease_out = cursor_.F32();
    offsets.hand_pose = cursor_.offset();
    motion().hand_pose = cursor_.U32();
    if (!IsWhole("the header")) return false;
    CheckHeader(motion(), offsets, &log_);
    return true;
  }

  bool ReadJoints() {
    const size_t offset = cursor_.offset();
    const uint32_t count = cursor_.U32();
    if (!IsWhole("the header")) return false;
    if (count == 0) log_.Add(IssueCode::ANIM_NO_JOINTS, offset, place_);
    if (count > kMaxAnimJoints) {
      log_.Add(IssueCode::ANIM_JOINT_COUNT, offset, place_,
               {{"count", std::to_string(count)}});
      return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
      place_.joint = static_cast<int32_t>(i);
      if (!ReadJoint()) return false;
    }
    place_ = {};
    CheckRepeatedJoints(motion(), joint_offsets_, &log_);
    return true;
  }

  bool ReadJoint() {
    const size_t offset = cursor_.offset();
    place_.joint_name = {};
    const std::string_view name = cursor_.Text();
    const size_t priority_offset = cursor_.offset();
    const int32_t priority = cursor_.S32();
    if (!IsWhole("a joint") || !IsNameShort(name, offset)) return false;
    place_.joint_name = name;
    joint_offsets_.push_back(offset);
    CheckJointName(name, offset, place_, &log_);
    CheckJointPriority(priority, priority_offset, place_, &log_);
    motion().joints.push_back({std::string(name), priority, {}, {}});
    AnimJoint& joint = motion().joints.back();
    return ReadKeys(/*is_rotation=*/true, &joint.rotations) &&
           ReadKeys(/*is_rotation=*/false, &joint.positions);
  }

  bool ReadKeys(bool is_rotation, std::vector<AnimKey>* keys) {
    const size_t offset = cursor_.offset();
    const int32_t count = cursor_.S32();
    if (!IsWhole("a joint")) return false;
    if (count < 0) {
      log_.Add(IssueCode::ANIM_KEY_COUNT, offset, place_,
               {{"field", is_rotation ? "the count of rotation keys"
                                      : "the count of position keys"},
                {"value", std::to_string(count)}});
      return false;
    }
    const size_t key_bytes = is_legacy_ ? kAnimLegacyKeyBytes : kAnimKeyBytes;
    if (cursor_.left() / key_bytes < static_cast<size_t>(count)) {
      log_.Add(IssueCode::ANIM_TRUNCATED, offset, place_,
               {{"field", "the keys of a joint"}});
      return false;
    }
    keys->reserve(static_cast<size_t>(count));
    const size_t first_key = cursor_.offset();
    for (int32_t i = 0; i < count; ++i) {
      keys->push_back(is_legacy_ ? LegacyKey(is_rotation) : Key());
    }
    // The viewer does not compare times of the old version with the duration.
    const float duration = is_legacy_ ? 0 : motion().duration;
    CheckKeys(*keys, is_rotation, duration, first_key, place_, &log_);
    return true;
  }

  AnimKey Key() {
    AnimKey key;
    key.time = cursor_.U16();
    key.x = cursor_.U16();
    key.y = cursor_.U16();
    key.z = cursor_.U16();
    return key;
  }

  // The encoding clamps positions that are out of range.
  AnimKey LegacyKey(bool is_rotation) {
    const size_t offset = cursor_.offset();
    const float time = cursor_.F32();
    Vec3<float> v = cursor_.Vector();
    // The viewer clamps a position before it looks for NaN.
    for (float& number : v) {
      if (!is_rotation && std::isinf(number)) {
        number = std::copysign(kAnimPositionRange, number);
      }
    }
    const std::string_view field =
        is_rotation ? "a rotation key" : "a position key";
    for (const float number : {time, v[0], v[1], v[2]}) {
      log_.CheckFinite(number, field, offset, place_);
    }
    const uint16_t code = EncodeU16(time, 0, motion().duration);
    if (!is_rotation) return MakeKey(code, v, kAnimPositionRange);
    return MakeKey(code, PackRotation(FromLegacyAngles(v)), kAnimRotationRange);
  }

  bool ReadConstraints() {
    const size_t offset = cursor_.offset();
    const int32_t count = cursor_.S32();
    if (!IsWhole("the count of constraints")) return false;
    if (count < 0 || count > kMaxAnimConstraints) {
      log_.Add(IssueCode::ANIM_CONSTRAINTS_IGNORED, offset, place_,
               {{"value", std::to_string(count)},
                {"bytes", std::to_string(cursor_.left())}});
      is_rest_ignored_ = true;
      return true;
    }
    for (int32_t i = 0; i < count; ++i) {
      if (!ReadConstraint()) return false;
    }
    return true;
  }

  bool ReadConstraint() {
    const size_t offset = cursor_.offset();
    AnimConstraint constraint;
    constraint.chain_length = cursor_.U8();
    constraint.type = cursor_.U8();
    constraint.source_volume = cursor_.FixedName();
    constraint.source_offset = cursor_.Vector();
    constraint.target_volume = cursor_.FixedName();
    constraint.target_offset = cursor_.Vector();
    constraint.target_direction = cursor_.Vector();
    constraint.ease_in_start = cursor_.F32();
    constraint.ease_in_stop = cursor_.F32();
    constraint.ease_out_start = cursor_.F32();
    constraint.ease_out_stop = cursor_.F32();
    if (!IsWhole("a constraint")) return false;
    CheckConstraint(constraint, motion(), offset, &log_);
    motion().constraints.push_back(std::move(constraint));
    return true;
  }

  bool CheckEnd() {
    if (cursor_.left() > 0 && !is_rest_ignored_) {
      log_.Add(IssueCode::ANIM_TRAILING_DATA, cursor_.offset(), place_,
               {{"bytes", std::to_string(cursor_.left())}});
    }
    const size_t bytes = cursor_.offset() + cursor_.left();
    if (static_cast<int64_t>(bytes) > kMaxAnimUploadBytes) {
      log_.Add(IssueCode::ANIM_UPLOAD_SIZE, 0, place_,
               {{"bytes", std::to_string(bytes)}});
    }
    return true;
  }

  AnimCursor cursor_;
  const Limits& limits_;
  AnimLog log_;
  AnimPlace place_;
  bool is_legacy_ = false;
  bool is_rest_ignored_ = false;
  std::vector<size_t> joint_offsets_;
  AnimReadResult result_;
};

}  // namespace

AnimReadResult ReadAnim(std::string_view bytes, const AnimReadOptions& options,
                        IssueLog* log) {
  const int64_t limit = options.limits.max_clip_bytes;
  if (Exceeds(static_cast<int64_t>(bytes.size()), limit)) {
    AnimLog(log).Add(IssueCode::LIMIT_CLIP_BYTES, 0, {},
                     {{"limit", std::to_string(limit)}});
    return {};
  }
  return Reader(bytes, options.limits, log).Read();
}

absl::Status CheckAnim(const AnimMotion& motion, AnimReadResult* result,
                       IssueLog* log) {
  std::string bytes;
  StringSink sink(&bytes);
  BVHMILL_RETURN_IF_ERROR(WriteAnim(motion, &sink));
  AnimReadOptions no_limits;
  no_limits.limits.max_clip_bytes = 0;
  no_limits.limits.max_name_bytes = 0;
  *result = ReadAnim(bytes, no_limits, log);
  return absl::OkStatus();
}

// Writing.

namespace {

// The bytes of a file in memory.
class Bytes {
 public:
  explicit Bytes(size_t size) { out_.reserve(size); }

  void U8(uint8_t value) { Number(value, 1); }
  void U16(uint16_t value) { Number(value, 2); }
  void U32(uint32_t value) { Number(value, 4); }
  void S32(int32_t value) { U32(static_cast<uint32_t>(value)); }
  void F32(float value) { U32(std::bit_cast<uint32_t>(value)); }
  void Count(size_t value) { U32(static_cast<uint32_t>(value)); }
  void Vector(const Vec3<float>& v) {
    for (const float value : v) F32(value);
  }
  void Text(std::string_view text) {
    out_.append(text);
    out_.push_back('\0');
  }
  void FixedName(std::string_view name) {
    out_.append(name);
    out_.append(kAnimFixedNameBytes - name.size(), '\0');
  }
  void Keys(const std::vector<AnimKey>& keys) {
    Count(keys.size());
    for (const AnimKey& key : keys) {
      U16(key.time);
      U16(key.x);
      U16(key.y);
      U16(key.z);
    }
  }

  const std::string& out() const { return out_; }

 private:
  void Number(uint32_t value, int size) {
    char bytes[4];
    for (int i = 0; i < size; ++i) {
      bytes[i] = static_cast<char>(value >> (8 * i));
    }
    out_.append(bytes, static_cast<size_t>(size));
  }

  std::string out_;
};

void WriteConstraint(const AnimConstraint& constraint, Bytes* out) {
  out->U8(constraint.chain_length);
  out->U8(constraint.type);
  out->FixedName(constraint.source_volume);
  out->Vector(constraint.source_offset);
  out->FixedName(constraint.target_volume);
  out->Vector(constraint.target_offset);
  out->Vector(constraint.target_direction);
  out->F32(constraint.ease_in_start);
  out->F32(constraint.ease_in_stop);
  out->F32(constraint.ease_out_start);
  out->F32(constraint.ease_out_stop);
}

void WriteHeader(const AnimMotion& motion, Bytes* out) {
  out->U16(kAnimVersion);
  out->U16(kAnimSubVersion);
  out->S32(motion.base_priority);
  out->F32(motion.duration);
  out->Text(motion.emote);
  out->F32(motion.loop_in);
  out->F32(motion.loop_out);
  out->S32(motion.loop);
  out->F32(motion.ease_in);
  out->F32(motion.ease_out);
  out->U32(motion.hand_pose);
}

// Counts are written as signed 32-bit numbers.
bool IsCount(size_t count) {
  return count <= static_cast<size_t>(std::numeric_limits<int32_t>::max());
}

absl::Status CheckText(std::string_view field, std::string_view text) {
  if (text.find('\0') == text.npos) return absl::OkStatus();
  return InvalidField(field, "has a NUL");
}

absl::Status CheckVolume(std::string_view field, std::string_view name) {
  if (name.size() > kAnimFixedNameBytes) {
    return InvalidField(field, "has more than 16 bytes");
  }
  return CheckText(field, name);
}

absl::Status CheckJoints(const AnimMotion& motion) {
  bool are_counts = IsCount(motion.joints.size());
  for (const AnimJoint& joint : motion.joints) {
    BVHMILL_RETURN_IF_ERROR(CheckText("joints.name", joint.name));
    are_counts &= IsCount(joint.rotations.size());
    are_counts &= IsCount(joint.positions.size());
  }
  if (are_counts) return absl::OkStatus();
  return InvalidField("joints", "there are too many joints or keys");
}

absl::Status Check(const AnimMotion& motion) {
  BVHMILL_RETURN_IF_ERROR(CheckText("emote", motion.emote));
  BVHMILL_RETURN_IF_ERROR(CheckJoints(motion));
  if (!IsCount(motion.constraints.size())) {
    return InvalidField("constraints", "there are too many");
  }
  for (const AnimConstraint& constraint : motion.constraints) {
    BVHMILL_RETURN_IF_ERROR(
        CheckVolume("constraints.source_volume", constraint.source_volume));
    BVHMILL_RETURN_IF_ERROR(
        CheckVolume("constraints.target_volume", constraint.target_volume));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAnim(const AnimMotion& motion, Sink* sink) {
  BVHMILL_RETURN_IF_ERROR(Check(motion));
  Bytes out(AnimBytes(motion));
  WriteHeader(motion, &out);
  out.Count(motion.joints.size());
  for (const AnimJoint& joint : motion.joints) {
    out.Text(joint.name);
    out.S32(joint.priority);
    out.Keys(joint.rotations);
    out.Keys(joint.positions);
  }
  out.Count(motion.constraints.size());
  for (const AnimConstraint& constraint : motion.constraints) {
    WriteConstraint(constraint, &out);
  }
  return sink->Append(out.out());
}

// Edits.

namespace {

// The value of the curve at `seconds`, as a key with the time `code`.
AnimKey KeyAt(std::span<const AnimKey> keys, bool is_rotation, float duration,
              float seconds, uint16_t code) {
  const BetweenKeys at = KeyCursor(keys, duration).To(seconds);
  if (at.from == at.to) return {code, at.from->x, at.from->y, at.from->z};
  Vec3<float> v;
  const float range = is_rotation ? kAnimRotationRange : kAnimPositionRange;
  if (is_rotation) {
    v = PackRotation(
        BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u));
  } else {
    v = BlendPositions(PositionOf(*at.from), PositionOf(*at.to), at.u);
  }
  return {code, RoundU16(v[0], -range, range), RoundU16(v[1], -range, range),
          RoundU16(v[2], -range, range)};
}

struct Span {
  float begin;
  float end;
  float duration;
};

void TrimCurve(const Span& span, bool is_rotation, std::vector<AnimKey>* keys) {
  constexpr uint16_t kLast = 65535;
  if (keys->empty()) return;
  SortKeys(keys);
  const AnimKey first = KeyAt(*keys, is_rotation, span.duration, span.begin, 0);
  const AnimKey last =
      KeyAt(*keys, is_rotation, span.duration, span.end, kLast);
  if (keys->size() == 1) {
    keys->assign(1, first);
    return;
  }
  std::vector<AnimKey> kept = {first};
  for (AnimKey key : *keys) {
    const float seconds = TimeOf(key, span.duration);
    if (seconds <= span.begin || seconds >= span.end) continue;
    key.time = RoundU16(seconds - span.begin, 0, span.end - span.begin);
    if (key.time > kept.back().time && key.time < kLast) kept.push_back(key);
  }
  kept.push_back(last);
  *keys = std::move(kept);
}

template <typename Change>
void ChangeTimes(const Change& change, AnimMotion* motion) {
  motion->loop_in = change(motion->loop_in);
  motion->loop_out = change(motion->loop_out);
  for (AnimConstraint& c : motion->constraints) {
    for (float* time : {&c.ease_in_start, &c.ease_in_stop, &c.ease_out_start,
                        &c.ease_out_stop}) {
      *time = change(*time);
    }
  }
}

void ShortenEases(AnimMotion* motion) {
  motion->ease_in = std::min(motion->ease_in, motion->duration);
  motion->ease_out =
      std::min(motion->ease_out, motion->duration - motion->ease_in);
}

std::string_view FullName(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  if (joint < 0) return name;
  return AvatarJoints()[static_cast<size_t>(joint)].name;
}

std::string MirrorName(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  if (joint < 0) return name;
  return std::string(
      AvatarJoints()[static_cast<size_t>(MirrorJoint(joint))].name);
}

// The code of the negated value.
uint16_t Negative(uint16_t code) { return static_cast<uint16_t>(65535 - code); }

uint32_t MirrorHand(uint32_t pose) {
  constexpr uint32_t kFirstLeft = 4;
  constexpr uint32_t kFirstRight = 7;
  constexpr uint32_t kPairs = 3;
  if (pose >= kFirstLeft && pose < kFirstLeft + kPairs) return pose + kPairs;
  if (pose >= kFirstRight && pose < kFirstRight + kPairs) return pose - kPairs;
  return pose;
}

void ResaveKeys(bool is_rotation, float duration, std::vector<AnimKey>* keys) {
  const float range = is_rotation ? kAnimRotationRange : kAnimPositionRange;
  SortKeys(keys);
  for (AnimKey& key : *keys) {
    const Vec3<float> v =
        is_rotation ? PackRotation(RotationOf(key)) : PositionOf(key);
    key.time = EncodeU16(TimeOf(key, duration), 0, duration);
    key.x = EncodeTwice(v[0], range);
    key.y = EncodeTwice(v[1], range);
    key.z = EncodeTwice(v[2], range);
  }
}

}  // namespace

absl::Status TrimAnim(float begin, float end, AnimMotion* motion) {
  if (!(begin >= 0 && begin < end && end <= motion->duration)) {
    return InvalidField("trim", "is not within the duration");
  }
  const Span span = {begin, end, motion->duration};
  for (AnimJoint& joint : motion->joints) {
    TrimCurve(span, /*is_rotation=*/true, &joint.rotations);
    TrimCurve(span, /*is_rotation=*/false, &joint.positions);
  }
  motion->duration = end - begin;
  ChangeTimes(
      [&](float time) { return std::clamp(time - begin, 0.0F, end - begin); },
      motion);
  ShortenEases(motion);
  return absl::OkStatus();
}

absl::Status RetimeAnim(float duration, AnimMotion* motion) {
  if (!(duration > 0 && duration <= kMaxAnimSeconds)) {
    return InvalidField("duration", "is not above 0 s and at most 60 s");
  }
  if (!(motion->duration > 0)) {
    return InvalidField("duration", "there is none to change");
  }
  const float factor = duration / motion->duration;
  motion->duration = duration;
  ChangeTimes([&](float time) { return time * factor; }, motion);
  motion->loop_out = std::min(motion->loop_out, duration);
  ShortenEases(motion);
  return absl::OkStatus();
}

int64_t DropAnimJoints(std::span<const std::string> names, AnimMotion* motion) {
  const size_t removed =
      std::erase_if(motion->joints, [&](const AnimJoint& joint) {
        const std::string_view full = FullName(joint.name);
        return std::any_of(
            names.begin(), names.end(),
            [&](const std::string& name) { return FullName(name) == full; });
      });
  std::erase_if(motion->constraints, [&](const AnimConstraint& constraint) {
    return MissingJointOf(constraint, *motion).has_value();
  });
  return static_cast<int64_t>(removed);
}

// Mirrors at the plane of X and Z.
void MirrorAnim(AnimMotion* motion) {
  for (AnimJoint& joint : motion->joints) {
    joint.name = MirrorName(joint.name);
    for (AnimKey& key : joint.rotations) {
      key.x = Negative(key.x);
      key.z = Negative(key.z);
    }
    for (AnimKey& key : joint.positions) key.y = Negative(key.y);
  }
  for (AnimConstraint& c : motion->constraints) {
    c.source_volume = MirrorName(c.source_volume);
    c.target_volume = MirrorName(c.target_volume);
    for (Vec3<float>* v :
         {&c.source_offset, &c.target_offset, &c.target_direction}) {
      (*v)[1] = -(*v)[1];
    }
  }
  motion->hand_pose = MirrorHand(motion->hand_pose);
}

void ResaveAsViewer(AnimMotion* motion) {
  motion->base_priority = std::min(motion->base_priority, kMaxAnimPriority);
  motion->loop = motion->loop != 0 ? 1 : 0;
  if (!IsKnownEmote(motion->emote)) motion->emote.clear();
  for (AnimJoint& joint : motion->joints) {
    joint.name = FullName(joint.name);
    ResaveKeys(/*is_rotation=*/true, motion->duration, &joint.rotations);
    ResaveKeys(/*is_rotation=*/false, motion->duration, &joint.positions);
  }
  std::reverse(motion->constraints.begin(), motion->constraints.end());
}

}  // namespace bvhmill
