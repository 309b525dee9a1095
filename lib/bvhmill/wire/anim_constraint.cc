#include "bvhmill/wire/anim_constraint.h"

#include <array>

#include "bvhmill/base/call_error.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {
namespace {

std::array<float, 3> VectorOf(const v1::AnimVector& v) {
  return {v.x(), v.y(), v.z()};
}

void SetVector(const std::array<float, 3>& v, v1::AnimVector* out) {
  out->set_x(v[0]);
  out->set_y(v[1]);
  out->set_z(v[2]);
}

}  // namespace

absl::Status ReadConstraint(const std::string& path,
                            const v1::AnimConstraint& from,
                            AnimConstraint* to) {
  constexpr uint32_t kMaxChain = 255;
  if (from.chain_length() > kMaxChain) {
    return InvalidField(path + ".chain_length", "is above 255");
  }
  if (!v1::AnimConstraintType_IsValid(from.type())) {
    return UnknownValue(path + ".type", from.type());
  }
  to->chain_length = static_cast<uint8_t>(from.chain_length());
  to->type = from.type() == v1::ANIM_CONSTRAINT_TYPE_PLANE ? 1 : 0;
  to->source_volume = from.source_volume();
  to->target_volume = from.target_volume();
  to->source_offset = VectorOf(from.source_offset());
  to->target_offset = VectorOf(from.target_offset());
  to->target_direction = VectorOf(from.target_direction());
  to->ease_in_start = from.ease_in_start_seconds();
  to->ease_in_stop = from.ease_in_stop_seconds();
  to->ease_out_start = from.ease_out_start_seconds();
  to->ease_out_stop = from.ease_out_stop_seconds();
  return absl::OkStatus();
}

void WriteConstraint(const AnimConstraint& from, v1::AnimConstraint* to) {
  to->set_chain_length(from.chain_length);
  to->set_type(from.type == 1 ? v1::ANIM_CONSTRAINT_TYPE_PLANE
                              : v1::ANIM_CONSTRAINT_TYPE_POINT);
  to->set_source_volume(from.source_volume);
  to->set_target_volume(from.target_volume);
  SetVector(from.source_offset, to->mutable_source_offset());
  SetVector(from.target_offset, to->mutable_target_offset());
  SetVector(from.target_direction, to->mutable_target_direction());
  to->set_ease_in_start_seconds(from.ease_in_start);
  to->set_ease_in_stop_seconds(from.ease_in_stop);
  to->set_ease_out_start_seconds(from.ease_out_start);
  to->set_ease_out_stop_seconds(from.ease_out_stop);
}

}  // namespace bvhmill::wire
