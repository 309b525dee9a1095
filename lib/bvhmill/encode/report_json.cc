#include "bvhmill/encode/report_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bvhmill/base/from_chars.h"
#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

// Keeps the fields in the order of the .proto files.
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
  FromChars(buffer, end.ptr, out);
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

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

const char* SeverityEnum(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "SEVERITY_ERROR";
    case Severity::kWarning:
      return "SEVERITY_WARNING";
    case Severity::kInfo:
      return "SEVERITY_INFO";
    case Severity::kHint:
      break;
  }
  return "SEVERITY_HINT";
}

const char* VerdictEnum(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "VERDICT_VALID";
    case Verdict::kAccepted:
      return "VERDICT_ACCEPTED";
    case Verdict::kInvalid:
      return "VERDICT_INVALID";
    case Verdict::kUnreadable:
      break;
  }
  return "VERDICT_UNREADABLE";
}

Json LocationToJson(const Location& location) {
  Json out = {{"byte_offset", OrNull(location.byte_offset)},
              {"line", OrNull(location.line)},
              {"column", OrNull(location.column)},
              {"frame", OrNull(location.frame)},
              {"joint", OrNull(location.joint)},
              {"channel", OrNull(location.channel)},
              {"joint_name", nullptr},
              {"last_frame", OrNull(location.last_frame)}};
  if (!location.joint_name.empty()) out["joint_name"] = location.joint_name;
  return out;
}

Json IssueToJson(const Issue& issue) {
  Json args = Json::object();
  for (const auto& [name, value] : issue.args) args[name] = value;
  return {{"code", issue.code},
          {"severity", SeverityEnum(issue.severity)},
          {"message", issue.message},
          {"location", LocationToJson(issue.location)},
          {"occurrences", issue.occurrences},
          {"args", std::move(args)}};
}

Json ThresholdsToJson(const std::vector<ThresholdChoice>& thresholds) {
  Json out = Json::array();
  for (const auto& [code, name, value] : thresholds) {
    out.push_back({{"code", code}, {"name", name}, {"value", Number(value)}});
  }
  return out;
}

Json ToJson(const Report& report) {
  Json issues = Json::array();
  for (const Issue& issue : report.issues) {
    issues.push_back(IssueToJson(issue));
  }
  return {{"verdict", VerdictEnum(report.verdict)},
          {"counts",
           {{"errors", report.counts.errors},
            {"warnings", report.counts.warnings},
            {"infos", report.counts.infos},
            {"hints", report.counts.hints}}},
          {"issues", std::move(issues)},
          {"truncated", report.truncated},
          {"rules_version", report.rules_version},
          {"thresholds", ThresholdsToJson(report.thresholds)}};
}

Json JointToJson(const JointInfo& joint) {
  return {{"name", joint.name},
          {"parent", joint.parent},
          {"channels", joint.channels},
          {"end_site", joint.end_site},
          {"offset", List(joint.offset)}};
}

Json ToJson(const ClipInfo& info) {
  Json joints = Json::array();
  for (const JointInfo& joint : info.joints) {
    joints.push_back(JointToJson(joint));
  }
  return {{"frames", info.frames},
          {"frames_per_second", Number(info.frames_per_second)},
          {"joints", std::move(joints)},
          {"frame_time_seconds", Number(info.frame_time)},
          {"joint_count", info.joint_count}};
}

// Texts are UTF-8 by their contracts. Invalid bytes would be replaced; they
// must not make the library throw.
std::string Dump(const Json& json) {
  return PlainJson(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string ReportJson(std::string_view file, const Report& report,
                       const ClipInfo& info) {
  Json out = Json::object();
  if (!file.empty()) out["file"] = std::string(file);
  out["report"] = ToJson(report);
  out["info"] = ToJson(info);
  return Dump(out);
}

std::string ReportJson(const Report& report) { return Dump(ToJson(report)); }

std::string ClipInfoJson(const ClipInfo& info) { return Dump(ToJson(info)); }

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
