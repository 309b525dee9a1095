#include "bvhmill/encode/report_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

// Keeps the fields in the order of the .proto files.
using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// JSON has no word for numbers that are not finite.
Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
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
    out.push_back(
        {{"code", code}, {"name", name}, {"value", NumberOrNull(value)}});
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

// The double that prints as short as the float: 0.1, not 0.10000000149.
double ShortestNumber(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  double out = value;
  std::from_chars(buffer, end.ptr, out);
  return out;
}

Json JointToJson(const JointInfo& joint) {
  Json offset = Json::array();
  for (const float value : joint.offset) {
    offset.push_back(NumberOrNull(ShortestNumber(value)));
  }
  return {{"name", joint.name},
          {"parent", joint.parent},
          {"channels", joint.channels},
          {"end_site", joint.end_site},
          {"offset", std::move(offset)}};
}

Json ToJson(const ClipInfo& info) {
  Json joints = Json::array();
  for (const JointInfo& joint : info.joints) {
    joints.push_back(JointToJson(joint));
  }
  return {{"frames", info.frames},
          {"frames_per_second", NumberOrNull(info.frames_per_second)},
          {"joints", std::move(joints)},
          {"frame_time_seconds", NumberOrNull(info.frame_time)},
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

}  // namespace bvhmill
