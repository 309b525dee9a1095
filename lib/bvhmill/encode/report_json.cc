#include "bvhmill/encode/report_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace bvhmill {
namespace {

// Keeps the fields in the order of the .proto files.
using Json = nlohmann::ordered_json;

// Protobuf's mapping writes 64-bit integers as strings, and omits fields that
// have their default.
void PutInt64(const char* name, int64_t value, Json* out) {
  if (value != 0) (*out)[name] = std::to_string(value);
}

template <typename T>
void PutOptional(const char* name, const std::optional<T>& value, Json* out) {
  if (!value) return;
  if constexpr (sizeof(T) == 8) {
    (*out)[name] = std::to_string(*value);
  } else {
    (*out)[name] = *value;
  }
}

void PutString(const char* name, const std::string& value, Json* out) {
  if (!value.empty()) (*out)[name] = value;
}

Json NumberToJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

void PutDouble(const char* name, double value, Json* out) {
  if (value != 0) (*out)[name] = NumberToJson(value);
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
  Json out = Json::object();
  PutOptional("byte_offset", location.byte_offset, &out);
  PutOptional("line", location.line, &out);
  PutOptional("column", location.column, &out);
  PutOptional("frame", location.frame, &out);
  PutOptional("joint", location.joint, &out);
  PutOptional("channel", location.channel, &out);
  PutString("joint_name", location.joint_name, &out);
  return out;
}

Json IssueToJson(const Issue& issue) {
  Json out = Json::object();
  PutString("code", issue.code, &out);
  out["severity"] = SeverityEnum(issue.severity);
  PutString("message", issue.message, &out);
  out["location"] = LocationToJson(issue.location);
  PutInt64("occurrences", issue.occurrences, &out);
  for (const auto& [name, value] : issue.args) out["args"][name] = value;
  return out;
}

Json ToJson(const Report& report) {
  Json counts = Json::object();
  PutInt64("errors", report.counts.errors, &counts);
  PutInt64("warnings", report.counts.warnings, &counts);
  PutInt64("infos", report.counts.infos, &counts);
  PutInt64("hints", report.counts.hints, &counts);
  Json out = {{"verdict", VerdictEnum(report.verdict)},
              {"counts", std::move(counts)}};
  for (const Issue& issue : report.issues) {
    out["issues"].push_back(IssueToJson(issue));
  }
  if (report.truncated) out["truncated"] = true;
  PutString("rules_version", report.rules_version, &out);
  return out;
}

// The double that prints as short as the float: 0.1, not 0.10000000149.
double Shortest(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  double out = value;
  std::from_chars(buffer, end.ptr, out);
  return out;
}

Json JointToJson(const JointInfo& joint) {
  Json out = Json::object();
  PutString("name", joint.name, &out);
  if (joint.parent != 0) out["parent"] = joint.parent;
  PutString("channels", joint.channels, &out);
  if (joint.end_site) out["end_site"] = true;
  for (const float value : joint.offset)
    out["offset"].push_back(NumberToJson(Shortest(value)));
  return out;
}

Json ToJson(const ClipInfo& info) {
  Json out = Json::object();
  PutInt64("frames", info.frames, &out);
  PutDouble("frames_per_second", info.frames_per_second, &out);
  for (const JointInfo& joint : info.joints) {
    out["joints"].push_back(JointToJson(joint));
  }
  PutDouble("frame_time_seconds", info.frame_time, &out);
  if (info.joint_count != 0) out["joint_count"] = info.joint_count;
  return out;
}

// Texts are UTF-8 by their contracts. Invalid bytes would be replaced; they
// must not make the library throw.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string ReportJson(std::string_view file, const Report& report,
                       const ClipInfo& info) {
  Json out = Json::object();
  PutString("file", std::string(file), &out);
  out["report"] = ToJson(report);
  out["info"] = ToJson(info);
  return Dump(out);
}

std::string ReportJson(const Report& report) { return Dump(ToJson(report)); }

std::string ClipInfoJson(const ClipInfo& info) { return Dump(ToJson(info)); }

}  // namespace bvhmill
