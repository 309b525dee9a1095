#include "bvhmill/anim/format/anim_reader.h"

#include <cmath>
#include <string>

#include "bvhmill/anim/format/anim_checks.h"
#include "bvhmill/anim/format/anim_cursor.h"
#include "bvhmill/anim/format/anim_log.h"
#include "bvhmill/anim/format/anim_writer.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

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

}  // namespace bvhmill
