// Statuses of options read "field: why", and name a limit as "max_... = N".

#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {
namespace {

constexpr std::string_view kEdits = "options.edits.";

Fault LimitFault(std::string_view message) {
  Fault fault{"LIMIT_EXCEEDED", {}};
  const size_t begin = message.find("max_");
  if (begin == message.npos) return fault;
  message.remove_prefix(begin);
  constexpr std::string_view kEquals = " = ";
  const size_t equals = message.find(kEquals);
  if (equals == message.npos) return fault;
  const std::string_view value = message.substr(equals + kEquals.size());
  const size_t digits = value.find_first_not_of("0123456789");
  fault.metadata = {{"limit_name", std::string(message.substr(0, equals))},
                    {"limit", std::string(value.substr(0, digits))}};
  return fault;
}

Fault UnknownSource(std::string_view message) {
  const std::string field(message.substr(0, message.find(": ")));
  if (field == "options.edits.resample_fps") {
    return {"FRAME_RATE_UNKNOWN", {{"field", field}}};
  }
  return {"SOURCE_CONVENTION_UNKNOWN",
          {{"field", field},
           {"needs", "options.read." + field.substr(kEdits.size())}}};
}

}  // namespace

Fault FaultOfOptions(const absl::Status& status) {
  const std::string_view message = MessageOf(status);
  if (absl::IsResourceExhausted(status)) return LimitFault(message);
  if (absl::IsFailedPrecondition(status) && message.starts_with(kEdits)) {
    return UnknownSource(message);
  }
  return {};
}

}  // namespace bvhmill
