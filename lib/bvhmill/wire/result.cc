#include "bvhmill/wire/result.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/status.h"

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

constexpr int64_t kNanosPerSecond = 1'000'000'000;

void ToProto(const Location& location, v1::Location* out) {
  if (location.byte_offset) out->set_byte_offset(*location.byte_offset);
  if (location.line) out->set_line(*location.line);
  if (location.column) out->set_column(*location.column);
  if (location.frame) out->set_frame(*location.frame);
  if (location.joint) out->set_joint(*location.joint);
  if (location.channel) out->set_channel(*location.channel);
  out->set_joint_name(location.joint_name);
  if (location.last_frame) out->set_last_frame(*location.last_frame);
}

Location FromProto(const v1::Location& message) {
  Location out;
  if (message.has_byte_offset()) out.byte_offset = message.byte_offset();
  if (message.has_line()) out.line = message.line();
  if (message.has_column()) out.column = message.column();
  if (message.has_frame()) out.frame = message.frame();
  if (message.has_joint()) out.joint = message.joint();
  if (message.has_channel()) out.channel = message.channel();
  out.joint_name = message.joint_name();
  if (message.has_last_frame()) out.last_frame = message.last_frame();
  return out;
}

// Sorted by name, since maps have no order on the wire.
IssueArgs FromProto(
    const google::protobuf::Map<std::string, std::string>& map) {
  IssueArgs out(map.begin(), map.end());
  std::sort(out.begin(), out.end());
  return out;
}

void Put(std::chrono::nanoseconds time, google::protobuf::Duration* out) {
  out->set_seconds(time.count() / kNanosPerSecond);
  out->set_nanos(static_cast<int32_t>(time.count() % kNanosPerSecond));
}

// A time that nanoseconds cannot hold becomes the nearest one that they can:
// peers send any.
std::chrono::nanoseconds Get(const google::protobuf::Duration& message) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t count = 0;
  if (__builtin_mul_overflow(message.seconds(), kNanosPerSecond, &count) ||
      __builtin_add_overflow(count, int64_t{message.nanos()}, &count)) {
    count = message.seconds() < 0 ? Limits::min() : Limits::max();
  }
  return std::chrono::nanoseconds(count);
}

}  // namespace

void ToProto(const Issue& issue, v1::Issue* out) {
  out->set_code(issue.code);
  out->set_severity(static_cast<v1::Severity>(issue.severity));
  out->set_message(issue.message);
  ToProto(issue.location, out->mutable_location());
  out->set_occurrences(issue.occurrences);
  for (const auto& [name, value] : issue.args) {
    (*out->mutable_args())[name] = value;
  }
}

Issue FromProto(const v1::Issue& message) {
  Issue out;
  out.code = message.code();
  // A severity that only a newer server knows counts as a warning.
  const bool known = message.severity() >= v1::SEVERITY_ERROR &&
                     message.severity() <= v1::SEVERITY_HINT;
  out.severity =
      known ? static_cast<Severity>(message.severity()) : Severity::kWarning;
  out.message = message.message();
  out.location = FromProto(message.location());
  out.occurrences = message.occurrences();
  out.args = FromProto(message.args());
  return out;
}

void ToProto(const Report& report, v1::ValidationReport* out) {
  out->set_verdict(static_cast<v1::Verdict>(report.verdict));
  v1::IssueCounts* counts = out->mutable_counts();
  counts->set_errors(report.counts.errors);
  counts->set_warnings(report.counts.warnings);
  counts->set_infos(report.counts.infos);
  counts->set_hints(report.counts.hints);
  for (const Issue& issue : report.issues) ToProto(issue, out->add_issues());
  out->set_truncated(report.truncated);
  out->set_rules_version(report.rules_version);
  ToProto(report.thresholds, out->mutable_thresholds());
}

Report FromProto(const v1::ValidationReport& message) {
  Report out;
  const bool known = message.verdict() >= v1::VERDICT_VALID &&
                     message.verdict() <= v1::VERDICT_UNREADABLE;
  out.verdict =
      known ? static_cast<Verdict>(message.verdict()) : Verdict::kUnreadable;
  out.counts = {message.counts().errors(), message.counts().warnings(),
                message.counts().infos(), message.counts().hints()};
  for (const v1::Issue& issue : message.issues()) {
    out.issues.push_back(FromProto(issue));
  }
  out.truncated = message.truncated();
  out.rules_version = message.rules_version();
  FromProto(message.thresholds(), &out.thresholds);
  return out;
}

void ToProto(const ClipInfo& info, v1::ClipInfo* out) {
  NumbersToProto(info, out);
  JointsToProto(info.joints, out);
}

void NumbersToProto(const ClipInfo& info, v1::ClipInfo* out) {
  out->set_frames(info.frames);
  out->set_frames_per_second(info.frames_per_second);
  out->set_frame_time_seconds(info.frame_time);
  out->set_joint_count(info.joint_count);
}

void JointsToProto(const JointList& joints, v1::ClipInfo* out) {
  out->mutable_joints()->Reserve(static_cast<int>(joints.size()));
  for (const JointInfo& joint : joints) {
    v1::Joint* to = out->add_joints();
    to->set_name(joint.name);
    to->set_parent(joint.parent);
    to->set_channels(joint.channels);
    to->set_end_site(joint.end_site);
    to->mutable_offset()->Add(joint.offset.begin(), joint.offset.end());
  }
}

ClipInfo FromProto(const v1::ClipInfo& message) {
  ClipInfo out;
  out.frames = message.frames();
  out.frame_time = message.frame_time_seconds();
  out.frames_per_second = message.frames_per_second();
  out.joint_count = message.joint_count();
  std::vector<JointInfo> joints;
  for (const v1::Joint& joint : message.joints()) {
    JointInfo to{
        joint.name(), joint.parent(), joint.channels(), joint.end_site(), {}};
    std::copy_n(joint.offset().begin(), std::min(joint.offset_size(), 3),
                to.offset.begin());
    joints.push_back(std::move(to));
  }
  out.joints = JointList(std::move(joints));
  return out;
}

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

void ToProto(const OutputInfo& output, v1::Output* out) {
  out->set_id(output.id);
  out->set_media_type(output.media_type);
  out->set_size_bytes(output.size_bytes);
  if (!output.status.ok()) *out->mutable_status() = ToProto(output.status);
  if (!output.tensor) return;
  v1::TensorInfo* tensor = out->mutable_tensor();
  tensor->set_dtype(v1::DATA_TYPE_FLOAT32);
  for (const int64_t size : output.tensor->shape) tensor->add_shape(size);
  for (const std::string& axis : output.tensor->axes) tensor->add_axes(axis);
}

OutputInfo FromProto(const v1::Output& message) {
  OutputInfo out{message.id(), message.media_type(), message.size_bytes()};
  if (message.has_status()) out.status = FromProto(message.status());
  if (message.has_tensor()) {
    const v1::TensorInfo& tensor = message.tensor();
    out.tensor = TensorInfo{{tensor.shape().begin(), tensor.shape().end()},
                            {tensor.axes().begin(), tensor.axes().end()}};
  }
  return out;
}

void ToProto(const StageTimes& times, v1::StageTimes* out) {
  Put(times.queued, out->mutable_queued());
  Put(times.read, out->mutable_read());
  Put(times.validate, out->mutable_validate());
  Put(times.edit, out->mutable_edit());
  Put(times.solve, out->mutable_solve());
  Put(times.encode, out->mutable_encode());
}

StageTimes FromProto(const v1::StageTimes& message) {
  return {Get(message.queued()), Get(message.read()),  Get(message.validate()),
          Get(message.edit()),   Get(message.solve()), Get(message.encode())};
}

void ToProto(const ConvertResult& result, v1::ClipResult* out) {
  *out->mutable_status() = ToProto(result.status);
  ToProto(result.report, out->mutable_report());
  ToProto(result.info, out->mutable_info());
  if (result.status.ok()) {
    for (const OutputInfo& output : result.outputs) {
      ToProto(output, out->add_outputs());
    }
  }
  ToProto(result.times, out->mutable_times());
  if (result.measures) ToProto(*result.measures, out->mutable_measures());
}

ConvertResult FromProto(const v1::ClipResult& message) {
  ConvertResult out;
  out.status = FromProto(message.status());
  out.report = FromProto(message.report());
  out.info = FromProto(message.info());
  for (const v1::Output& output : message.outputs()) {
    out.outputs.push_back(FromProto(output));
  }
  out.times = FromProto(message.times());
  if (message.has_measures()) out.measures = FromProto(message.measures());
  return out;
}

}  // namespace bvhmill::wire
