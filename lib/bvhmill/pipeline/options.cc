#include "bvhmill/pipeline/options.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/report.h"
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
  // Static, so that a batch allocates it once.
  thread_local std::vector<std::string_view> ids;
  ids.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (const absl::Status status = CheckFormat(outputs[i].format);
        !status.ok()) {
      return InsideField(PathOf(i), status);
    }
    // A good request must not pay for the path of the field.
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

namespace {

// Bytes that an allocator adds to each block.
constexpr size_t kBlock = 16;
// Links and color of a node of std::map.
constexpr size_t kNode = 32;

size_t Bytes(const std::string& text) {
  // Short strings are stored in the object itself.
  static const size_t kInPlace = std::string().capacity();
  if (text.capacity() <= kInPlace) return 0;
  const auto bytes = static_cast<int64_t>(text.capacity()) + 1;
  return static_cast<size_t>(HeapBytes(bytes)) + kBlock;
}

size_t Bytes(const JointMapRow& row) {
  return Bytes(row.source) + Bytes(row.target);
}

size_t Bytes(const std::pair<std::string, std::string>& names) {
  return Bytes(names.first) + Bytes(names.second);
}

size_t Bytes(const ThresholdChoice& choice) {
  return Bytes(choice.code) + Bytes(choice.name);
}

size_t Bytes(const JointPriority& priority) { return Bytes(priority.joint); }

size_t Bytes(const AnimConstraint& constraint) {
  return Bytes(constraint.source_volume) + Bytes(constraint.target_volume);
}

template <typename T>
size_t Bytes(const std::vector<T>& list) {
  size_t bytes = list.capacity() * sizeof(T);
  if (bytes > 0) bytes += kBlock;
  for (const T& item : list) bytes += Bytes(item);
  return bytes;
}

template <typename T>
requires std::is_class_v<T> size_t Bytes(const std::optional<T>& value) {
  return value ? Bytes(*value) : 0;
}

size_t Bytes(const Severities& severities) {
  size_t bytes = 0;
  for (const auto& choice : severities) {
    bytes += sizeof(choice) + kNode + kBlock + Bytes(choice.first);
  }
  return bytes;
}

// Heap memory of the value of an option.
struct PlaceBytes {
  // Other values use no heap memory.
  template <typename T>
  size_t operator()(const T& /*place*/) const {
    return 0;
  }
  template <typename T>
  size_t operator()(T* value) const {
    if constexpr (requires { Bytes(*value); }) {
      return Bytes(*value);
    } else {
      return 0;
    }
  }
  size_t operator()(const JointMapPlace& map) const {
    return Bytes(*map.name) + Bytes(*map.rows);
  }
};

template <typename Target>
size_t BytesOfRows(const Target& target) {
  size_t bytes = 0;
  for (const OptionRow& row : Options()) {
    bytes += std::visit(PlaceBytes{}, PlaceIn(row, target));
  }
  return bytes;
}

}  // namespace

int64_t OptionsBytes(const ConvertOptions& options) {
  size_t bytes =
      sizeof(options) + Bytes(options.unknown_fields) + BytesOfRows(options);
  bytes += options.outputs.capacity() * sizeof(OutputRequest);
  if (options.outputs.capacity() > 0) bytes += kBlock;
  for (const OutputRequest& output : options.outputs) {
    bytes += Bytes(output.id) + BytesOfRows(output.format);
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace bvhmill
