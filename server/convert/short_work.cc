#include "server/convert/short_work.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/source.h"

namespace bvhmill::server {
namespace {

// A request of more bytes is handed to a worker, and so is one that asks for
// more outputs.
constexpr int64_t kShortRequestBytes = int64_t{256} << 10;
constexpr int kShortOutputs = 4;
// A clip with more work or frames is given up in the thread where the call came
// in: a small text may claim many frames. A unit is about a nanosecond. No
// short text has more rows.
constexpr int64_t kShortWork = 10'000'000;
constexpr int64_t kShortFrames = kShortRequestBytes / 2;
// The issue of a clip with too many frames.
constexpr std::string_view kFramesLimit = "LIMIT_FRAMES";

// The work on a clip of this format grows with its bytes.
bool IsStreamed(v1::SourceFormat format) {
  const std::optional<SourceFormat> known = wire::FromProto(format);
  return known && InfoOf(*known).streams;
}

// True if a report says when a clip has too many frames, which tells that its
// work was given up.
bool ListsLimits(const v1::ValidationOptions& options) {
  const auto names = [](const std::string& word) {
    return NamesCode(word, kFramesLimit);
  };
  const auto& only = options.only();
  const auto& ignored = options.ignore();
  return std::none_of(ignored.begin(), ignored.end(), names) &&
         (only.empty() || std::any_of(only.begin(), only.end(), names));
}

// Outputs of the least cost.
bool AreArrays(const v1::ConvertOptions& options) {
  return std::all_of(options.outputs().begin(), options.outputs().end(),
                     [](const v1::OutputRequest& output) {
                       const Format* const format = wire::FormatOf(output);
                       return format != nullptr &&
                              format->cost == FormatCost::kArrays;
                     });
}

}  // namespace

bool IsShort(const v1::Source& source, const v1::ConvertOptions& options,
             int64_t request_bytes) {
  const bool is_plain = source.encoding() == v1::CONTENT_ENCODING_UNSPECIFIED ||
                        source.encoding() == v1::CONTENT_ENCODING_IDENTITY;
  return is_plain && ListsLimits(options.validation()) &&
         IsStreamed(source.format()) && !options.has_edits() &&
         options.outputs_size() <= kShortOutputs &&
         request_bytes <= kShortRequestBytes && AreArrays(options);
}

void BoundWork(Limits* limits) {
  const auto bound = [](int64_t most, int64_t* limit) {
    *limit = *limit > 0 ? std::min(*limit, most) : most;
  };
  bound(kShortWork, &limits->max_clip_work);
  limits->max_clip_work_per_byte = 0;
  bound(kShortFrames, &limits->max_frames);
}

bool ExceedsLimit(const ConvertResult& result, std::string_view name) {
  return absl::IsResourceExhausted(result.status) &&
         CallErrorOf(result.status).limit_name == name;
}

bool IsGivenUp(const ConvertResult& result) {
  const std::vector<Issue>& issues = result.report.issues;
  return ExceedsLimit(result, "max_clip_work") || result.report.truncated ||
         std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
           return issue.code == kFramesLimit;
         });
}

}  // namespace bvhmill::server
