#include "bvhmill/anim/format/anim_writer.h"

#include <bit>
#include <limits>
#include <string>
#include <string_view>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

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

}  // namespace bvhmill
