#include "client/cli/jobs/output_formats.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

const Format* FormatNamed(const v1::Output& output,
                          std::span<const OutputRequest> requests) {
  for (const OutputRequest& request : requests) {
    const Format& format = FormatOf(request.format);
    if (OutputId(request) == output.id() &&
        format.media_type == output.media_type()) {
      return &format;
    }
  }
  const Format* of_media_type = nullptr;
  int same = 0;
  for (const Format& format : Formats()) {
    if (format.media_type != output.media_type()) continue;
    if (format.name == output.id()) return &format;
    of_media_type = &format;
    ++same;
  }
  return same == 1 ? of_media_type : nullptr;
}

absl::Status Refused(const v1::Output& output, const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "its output '" + Printable(output.id()) + "' " + why);
}

}  // namespace

absl::StatusOr<std::vector<OutputRequest>> RequestsOf(
    const v1::ClipResult& result, std::span<const OutputRequest> requests) {
  std::vector<OutputRequest> found;
  std::set<std::string_view> extensions;
  for (const v1::Output& output : result.outputs()) {
    const Format* const format = FormatNamed(output, requests);
    if (format == nullptr) {
      return Refused(output, "is of a format that this program does not know");
    }
    if (!extensions.insert(format->extension).second) {
      return Refused(output, "would have the file of another one");
    }
    found.push_back({output.id(), format->defaults});
  }
  return found;
}

}  // namespace bvhmill::client
