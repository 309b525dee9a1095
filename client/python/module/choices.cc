#include "client/python/module/choices.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/pipeline/options_json.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::python {
namespace {

namespace py = pybind11;

absl::Status SetLimits(const py::dict& values, Limits* limits) {
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    const auto* const row = std::find_if(
        std::begin(kClipLimits), std::end(kClipLimits),
        [&](const LimitRow<Limits>& limit) { return limit.name == name; });
    if (row == std::end(kClipLimits)) {
      return InvalidField("limits", "there is no limit " + Quote(name));
    }
    limits->*row->member = value.cast<int64_t>();
  }
  return absl::OkStatus();
}

}  // namespace

Choices ChoicesOf(const std::string& json, const std::string& format,
                  const py::dict& limits, bool skeleton, int threads) {
  Choices choices;
  choices.threads = threads;
  choices.options.with_skeleton = skeleton;
  choices.has_format = !format.empty();
  if (choices.has_format) {
    const std::optional<SourceFormat> known = SourceFormatOfName(format);
    if (!known) {
      choices.status = InvalidField("format", Quote(format) + " is no format");
      return choices;
    }
    choices.options.source_format = *known;
  }
  choices.status = SetLimits(limits, &choices.options.limits);
  if (choices.status.ok()) {
    choices.status = OptionsFromJson(json, &choices.options);
  }
  return choices;
}

}  // namespace bvhmill::python
