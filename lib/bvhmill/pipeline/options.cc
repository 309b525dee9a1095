#include "bvhmill/pipeline/options.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/catalogue.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

absl::Status NotACode(std::string_view field, const std::string& word) {
  std::vector<std::string_view> codes;
  for (const CatalogueEntry& entry : Catalogue()) codes.push_back(entry.name);
  return InvalidField(
      field, Quote(word) + " is not an issue code" + DidYouMean(word, codes));
}

absl::Status CheckCodes(std::string_view field,
                        const std::vector<std::string>& codes) {
  for (const std::string& code : codes) {
    if (FindEntry(code) == nullptr) return NotACode(field, code);
  }
  return absl::OkStatus();
}

// The codes, or the groups of codes.
absl::Status CheckGroups(std::string_view field,
                         const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!NamesAnyCode(word)) return NotACode(field, word);
  }
  return absl::OkStatus();
}

absl::Status CheckReport(const ReportOptions& report) {
  BVHMILL_RETURN_IF_ERROR(
      CheckGroups("options.validation.ignore", report.ignore));
  BVHMILL_RETURN_IF_ERROR(CheckGroups("options.validation.only", report.only));
  for (const auto& [code, severity] : report.severities) {
    BVHMILL_RETURN_IF_ERROR(
        CheckCodes("options.validation.severities", {code}));
  }
  for (size_t i = 0; i < report.thresholds.size(); ++i) {
    const std::string why = WhyNot(report.thresholds[i]);
    if (why.empty()) continue;
    return InvalidField(
        "options.validation.thresholds[" + std::to_string(i) + "]", why);
  }
  return absl::OkStatus();
}

std::string PathOf(size_t output) {
  return "options.outputs[" + std::to_string(output) + "]";
}

absl::Status CheckOutputs(std::span<const OutputRequest> outputs) {
  // Kept, so that a batch takes its memory once.
  thread_local std::vector<std::string_view> ids;
  ids.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (const absl::Status status = CheckFormat(outputs[i].format);
        !status.ok()) {
      return InsideField(PathOf(i), status);
    }
    // The path of the field takes memory, which a good request need not.
    if (const size_t bytes = outputs[i].id.size(); bytes > kMaxOutputIdBytes) {
      return CheckBytes(PathOf(i) + ".id", bytes, kMaxOutputIdBytes);
    }
    ids.push_back(OutputId(outputs[i]));
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return absl::OkStatus();
  size_t last = outputs.size() - 1;
  while (OutputId(outputs[last]) != *twice) --last;
  return InvalidField(PathOf(last) + ".id", Quote(*twice) + " is used twice");
}

}  // namespace

absl::Status CheckOptions(const ConvertOptions& options) {
  if (!SourceFormatOfNumber(static_cast<int>(options.source_format))) {
    return InvalidField("source.format", "is no format of the enum");
  }
  const auto count = static_cast<int64_t>(options.outputs.size());
  if (Exceeds(count, options.limits.max_outputs_per_clip)) {
    const int64_t limit = options.limits.max_outputs_per_clip;
    return LimitError(
        "max_outputs_per_clip", limit,
        "more than max_outputs_per_clip = " + std::to_string(limit),
        "options.outputs");
  }
  BVHMILL_RETURN_IF_ERROR(CheckBounds(options));
  BVHMILL_RETURN_IF_ERROR(CheckReport(options.report));
  BVHMILL_RETURN_IF_ERROR(CheckEdits(options.edits));
  return CheckOutputs(options.outputs);
}

}  // namespace bvhmill
