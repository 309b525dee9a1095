#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "bvhmill/encode/report_json.h"

namespace bvhmill {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no word for numbers that are not finite.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

// The double that prints as short as the float: 0.1, not 0.10000000149.
Json Number(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  double out = value;
  std::from_chars(buffer, end.ptr, out);
  return Number(out);
}

Json Number(const std::optional<double>& value) {
  return value ? Number(*value) : Json();
}

template <typename Numbers>
Json List(const Numbers& numbers) {
  Json out = Json::array();
  for (const auto number : numbers) out.push_back(Number(number));
  return out;
}

Json ExtentsToJson(const ClipExtents& extents) {
  return {{"min", List(extents.least)}, {"max", List(extents.greatest)}};
}

Json FastestToJson(const FastestJoint& fastest) {
  return {{"speed", Number(fastest.speed)},
          {"joint", fastest.joint},
          {"frame", fastest.frame}};
}

Json MeasuresToJson(const JointMeasures& joint) {
  return {{"min", List(joint.least)},
          {"max", List(joint.greatest)},
          {"degrees", Number(joint.degrees)}};
}

}  // namespace

const char* RestPoseEnum(RestPoseKind kind) {
  switch (kind) {
    case RestPoseKind::kUnknown:
      break;
    case RestPoseKind::kT:
      return "REST_POSE_T";
    case RestPoseKind::kA:
      return "REST_POSE_A";
    case RestPoseKind::kArmsDown:
      return "REST_POSE_ARMS_DOWN";
    case RestPoseKind::kAligned:
      return "REST_POSE_ALIGNED";
    case RestPoseKind::kOther:
      return "REST_POSE_OTHER";
  }
  return "REST_POSE_UNSPECIFIED";
}

std::string MeasuresJson(const ClipMeasures& measures) {
  const auto& extents = measures.extents;
  const auto& fastest = measures.fastest;
  Json joints = Json::array();
  for (const JointMeasures& joint : measures.joints) {
    joints.push_back(MeasuresToJson(joint));
  }
  const Json out = {
      {"duration_seconds", Number(measures.duration)},
      {"depth", measures.depth},
      {"channel_count", measures.channels},
      {"extents", extents ? ExtentsToJson(*extents) : Json()},
      {"rest_pose", RestPoseEnum(measures.rest_pose)},
      {"rest_size", List(measures.rest_size)},
      {"height", Number(measures.height)},
      {"reach", Number(measures.reach)},
      {"root_path", Number(measures.root_path)},
      {"root_speed", Number(measures.root_speed)},
      {"fastest", fastest ? FastestToJson(*fastest) : Json()},
      {"loop_degrees", Number(measures.loop_degrees)},
      {"loop_distance", Number(measures.loop_distance)},
      {"joints", std::move(joints)},
      {"body_root", measures.body_root ? Json(*measures.body_root) : Json()}};
  return out.dump();
}

}  // namespace bvhmill
