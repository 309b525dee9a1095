#include "bvhmill/wire/measures.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace bvhmill::wire {
namespace {

template <typename Numbers>
std::array<float, 3> VectorOf(const Numbers& numbers) {
  std::array<float, 3> out = {};
  std::copy_n(numbers.begin(), std::min(numbers.size(), 3), out.begin());
  return out;
}

void PutJoint(const JointMeasures& joint, v1::JointMeasures* out) {
  out->mutable_min()->Add(joint.least.begin(), joint.least.end());
  out->mutable_max()->Add(joint.greatest.begin(), joint.greatest.end());
  out->set_degrees(joint.degrees);
}

JointMeasures JointOf(const v1::JointMeasures& message) {
  JointMeasures out;
  out.least.assign(message.min().begin(), message.min().end());
  out.greatest.assign(message.max().begin(), message.max().end());
  // Both have a value for each channel.
  out.greatest.resize(out.least.size(),
                      std::numeric_limits<float>::quiet_NaN());
  out.degrees = message.degrees();
  return out;
}

void PutSpeeds(const ClipMeasures& measures, v1::ClipMeasures* out) {
  if (measures.body_root) out->set_body_root(*measures.body_root);
  if (measures.root_path) out->set_root_path(*measures.root_path);
  if (measures.root_speed) out->set_root_speed(*measures.root_speed);
  if (measures.loop_degrees) out->set_loop_degrees(*measures.loop_degrees);
  if (measures.loop_distance) out->set_loop_distance(*measures.loop_distance);
  if (!measures.fastest) return;
  v1::FastestJoint* fastest = out->mutable_fastest();
  fastest->set_speed(measures.fastest->speed);
  fastest->set_joint(measures.fastest->joint);
  fastest->set_frame(measures.fastest->frame);
}

void GetSpeeds(const v1::ClipMeasures& message, ClipMeasures* out) {
  if (message.has_body_root()) out->body_root = message.body_root();
  if (message.has_root_path()) out->root_path = message.root_path();
  if (message.has_root_speed()) out->root_speed = message.root_speed();
  if (message.has_loop_degrees()) out->loop_degrees = message.loop_degrees();
  if (message.has_loop_distance()) out->loop_distance = message.loop_distance();
  if (!message.has_fastest()) return;
  const v1::FastestJoint& fastest = message.fastest();
  out->fastest = {fastest.speed(), fastest.joint(), fastest.frame()};
}

RestPoseKind KindOf(v1::RestPose message) {
  const bool is_known =
      message >= v1::REST_POSE_UNSPECIFIED && message <= v1::REST_POSE_OTHER;
  return is_known ? static_cast<RestPoseKind>(message) : RestPoseKind::kOther;
}

}  // namespace

void ToProto(const ClipMeasures& measures, v1::ClipMeasures* out) {
  out->set_duration_seconds(measures.duration);
  out->set_depth(measures.depth);
  out->set_channel_count(measures.channels);
  if (measures.extents) {
    const auto& [least, greatest] = *measures.extents;
    out->mutable_extents()->mutable_min()->Add(least.begin(), least.end());
    out->mutable_extents()->mutable_max()->Add(greatest.begin(),
                                               greatest.end());
  }
  out->set_rest_pose(static_cast<v1::RestPose>(measures.rest_pose));
  out->mutable_rest_size()->Add(measures.rest_size.begin(),
                                measures.rest_size.end());
  if (measures.height) out->set_height(*measures.height);
  out->set_reach(measures.reach);
  PutSpeeds(measures, out);
  for (const JointMeasures& joint : measures.joints) {
    PutJoint(joint, out->add_joints());
  }
}

ClipMeasures FromProto(const v1::ClipMeasures& message) {
  ClipMeasures out;
  out.duration = message.duration_seconds();
  out.depth = message.depth();
  out.channels = message.channel_count();
  if (message.has_extents()) {
    out.extents = {VectorOf(message.extents().min()),
                   VectorOf(message.extents().max())};
  }
  out.rest_pose = KindOf(message.rest_pose());
  std::copy_n(message.rest_size().begin(),
              std::min(message.rest_size_size(), 3), out.rest_size.begin());
  if (message.has_height()) out.height = message.height();
  out.reach = message.reach();
  GetSpeeds(message, &out);
  for (const v1::JointMeasures& joint : message.joints()) {
    out.joints.push_back(JointOf(joint));
  }
  return out;
}

}  // namespace bvhmill::wire
