#include "bvhmill/pipeline/options.h"

#include <set>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/report/catalogue.h"

namespace bvhmill {
namespace {

absl::Status CheckCodes(std::string_view field,
                        const std::vector<std::string>& codes) {
  for (const std::string& code : codes) {
    if (FindEntry(code) == nullptr) {
      return InvalidField(field, "'" + code + "' is not an issue code");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckReport(const ReportOptions& report) {
  BVHMILL_RETURN_IF_ERROR(
      CheckCodes("options.validation.ignore_codes", report.ignore_codes));
  BVHMILL_RETURN_IF_ERROR(
      CheckCodes("options.validation.only_codes", report.only_codes));
  for (const auto& [code, severity] : report.severity_overrides) {
    BVHMILL_RETURN_IF_ERROR(
        CheckCodes("options.validation.severity_overrides", {code}));
  }
  if (report.max_issues < 0) {
    return InvalidField("options.validation.max_issues", "is negative");
  }
  return absl::OkStatus();
}

absl::Status CheckOutput(std::string_view field, const OutputRequest& request) {
  const auto* bvh = std::get_if<BvhFormat>(&request.format);
  if (bvh != nullptr && (bvh->decimals < -1 || bvh->decimals > 60)) {
    return InvalidField(std::string(field) + ".bvh.decimals",
                        "is not between 0 and 60");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOptions(const ConvertOptions& options) {
  BVHMILL_RETURN_IF_ERROR(CheckReport(options.report));
  BVHMILL_RETURN_IF_ERROR(CheckEdits(options.edits));
  const auto count = static_cast<int64_t>(options.outputs.size());
  if (Exceeds(count, options.limits.max_outputs)) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      "options.outputs: more than max_outputs_per_clip = " +
                          std::to_string(options.limits.max_outputs));
  }
  std::set<std::string> ids;
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    const std::string field = "options.outputs[" + std::to_string(i) + "]";
    BVHMILL_RETURN_IF_ERROR(CheckOutput(field, options.outputs[i]));
    const std::string id = OutputId(options.outputs[i]);
    if (!ids.insert(id).second) {
      return InvalidField(field + ".id", "'" + id + "' is used twice");
    }
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
