#include "server/http/clip_query.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_split.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/pipeline/option_text.h"
#include "bvhmill/pipeline/options_json.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::server {
namespace {

constexpr std::string_view kReport = "report";
constexpr size_t kMostNameBytes = 255;

std::string Plain(std::string_view name) { return std::string(name); }

// Sets an option in the clip, or in each output that has it.
absl::Status SetQueryOption(const std::string& name, const std::string& text,
                            ConvertOptions* options) {
  const OptionRow* const row = FindOption(name);
  if (row == nullptr) return InvalidField(name, "there is no such option");
  std::vector<std::string> words = {text};
  if (IsList(*row)) words = absl::StrSplit(text, ',');
  // "?end_sites" sets a flag.
  if (text.empty() && std::holds_alternative<bool*>(row->fallback)) {
    words = {"true"};
  }
  if (row->in_clip != nullptr) {
    const std::string why = SetOption(*row, words, PlaceIn(*row, options));
    return why.empty() ? absl::OkStatus() : InvalidField(name, why);
  }
  bool has_effect = false;
  for (OutputRequest& output : options->outputs) {
    const OptionPlace place = PlaceIn(*row, &output.format);
    if (place.index() == 0) continue;
    const std::string why = SetOption(*row, words, place);
    if (!why.empty()) return InvalidField(name, why);
    has_effect = true;
  }
  return has_effect ? absl::OkStatus()
                    : InvalidField(name, "no output of emit has this option");
}

absl::Status SetEmit(const std::string& text, ClipQuery* query) {
  const std::vector<std::string> names = absl::StrSplit(text, ',');
  query->options.outputs.clear();
  query->emits_report = false;
  for (const std::string& name : names) {
    if (name == kReport) {
      query->emits_report = true;
      continue;
    }
    const Format* const format = FindFormat(name);
    if (format == nullptr) {
      return InvalidField("emit", Quote(name) + " is no format");
    }
    query->options.outputs.push_back({"", format->defaults});
  }
  return absl::OkStatus();
}

// The extension tells the format, unless the query has `format`.
SourceFormat FormatOfName(std::string_view name) {
  return name.ends_with(".anim") || name.ends_with(".anim.gz") ||
                 name.ends_with(".anim.zst")
             ? SourceFormat::kAnim
             : SourceFormat::kBvh;
}

absl::Status SetFormat(const std::string& word, SourceFormat* format) {
  const std::optional<SourceFormat> known = SourceFormatOfName(word);
  if (!known) return InvalidField("format", Quote(word) + " is no format");
  *format = *known;
  return absl::OkStatus();
}

std::string Underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

absl::Status ReadClipQuery(
    const std::multimap<std::string, std::string>& params, ClipQuery* query) {
  std::optional<std::string> format;
  // Before the options of outputs, whatever their order.
  for (const auto& [name, value] : params) {
    if (name == "options") {
      BVHMILL_RETURN_IF_ERROR(OptionsFromJson(value, &query->options));
    }
  }
  for (const auto& [name, value] : params) {
    if (name == "emit") BVHMILL_RETURN_IF_ERROR(SetEmit(value, query));
    if (name == "name") query->name = value.substr(0, kMostNameBytes);
    if (name == "format") format = value;
  }
  for (const auto& [name, value] : params) {
    if (name == "options" || name == "emit" || name == "name" ||
        name == "format") {
      continue;
    }
    BVHMILL_RETURN_IF_ERROR(
        SetQueryOption(Underscored(name), value, &query->options));
  }
  BVHMILL_RETURN_IF_ERROR(InOptionNames(CheckOptions(query->options), &Plain));
  query->options.source_format = FormatOfName(query->name);
  return format ? SetFormat(*format, &query->options.source_format)
                : absl::OkStatus();
}

int HttpStatusOf(const absl::Status& status, bool is_of_clip) {
  using Code = absl::StatusCode;
  const CallError error = CallErrorOf(status);
  const bool may_repeat = !FindArg(error, "retry_after_ms").empty();
  switch (status.code()) {
    case Code::kOk:
      return 200;
    case Code::kUnauthenticated:
      return 401;
    case Code::kPermissionDenied:
      return 403;
    case Code::kNotFound:
      return 404;
    case Code::kDeadlineExceeded:
      return 408;
    case Code::kAlreadyExists:
    case Code::kAborted:
      return 409;
    case Code::kResourceExhausted:
      return may_repeat ? 429 : 413;
    case Code::kUnimplemented:
      return error.reason == "JOBS_OFF" ? 501 : 415;
    case Code::kUnavailable:
    case Code::kCancelled:
      return 503;
    case Code::kInvalidArgument:
    case Code::kFailedPrecondition:
    case Code::kOutOfRange:
      return is_of_clip && error.reason != "FIELD_INVALID" ? 422 : 400;
    default:
      return 500;
  }
}

}  // namespace bvhmill::server
