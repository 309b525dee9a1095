#include "bvhmill/wire/report_options.h"

#include <string>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/wire/thresholds.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {

absl::Status FromProto(const v1::ValidationOptions& message,
                       const Limits& limits, ReportOptions* report) {
  report->ignore_codes.assign(message.ignore_codes().begin(),
                              message.ignore_codes().end());
  report->only_codes.assign(message.only_codes().begin(),
                            message.only_codes().end());
  report->severity_overrides.clear();
  for (const auto& [code, severity] : message.severity_overrides()) {
    if (severity < v1::SEVERITY_ERROR || severity > v1::SEVERITY_HINT) {
      return UnknownValue("options.validation.severity_overrides", severity);
    }
    report->severity_overrides[code] = static_cast<Severity>(severity);
  }
  FromProto(message.thresholds(), &report->thresholds);
  if (message.max_issues() < 0) {
    return InvalidField("options.validation.max_issues", "is negative");
  }
  const int64_t asked = message.max_issues();
  const bool keeps = asked > 0 && !Exceeds(asked, limits.max_issues_per_report);
  report->max_issues = keeps ? asked : limits.max_issues_per_report;
  return absl::OkStatus();
}

void ToProto(const ReportOptions& report, v1::ValidationOptions* message) {
  for (const std::string& code : report.ignore_codes) {
    message->add_ignore_codes(code);
  }
  for (const std::string& code : report.only_codes) {
    message->add_only_codes(code);
  }
  for (const auto& [code, severity] : report.severity_overrides) {
    (*message->mutable_severity_overrides())[code] =
        static_cast<v1::Severity>(severity);
  }
  ToProto(report.thresholds, message->mutable_thresholds());
  message->set_max_issues(static_cast<int32_t>(report.max_issues));
}

}  // namespace bvhmill::wire
