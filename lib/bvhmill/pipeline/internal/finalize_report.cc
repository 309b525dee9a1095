#include "bvhmill/pipeline/internal/finalize_report.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/internal/stopwatch.h"
#include "bvhmill/report/catalogue.h"

namespace bvhmill {
namespace {

constexpr std::string_view kLimitPrefix = "LIMIT_";

// LIMIT_JOINTS -> max_joints: the field of Limits that an issue is about.
std::string LimitName(std::string_view code) {
  std::string name = "max_" + std::string(code.substr(kLimitPrefix.size()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name;
}

}  // namespace

absl::Status ErrorOf(absl::StatusCode code, const Issue& issue) {
  CallError error{.code = code, .reason = issue.code};
  ErrorArgs metadata = issue.args;
  if (issue.code.starts_with(kLimitPrefix)) {
    metadata.emplace_back("limit_name", LimitName(issue.code));
  }
  SetMetadata(std::move(metadata), &error);
  const Location& at = issue.location;
  const auto put = [&error](const char* name, const auto& value) {
    if (value) error.args.emplace_back(name, std::to_string(*value));
  };
  put("line", at.line);
  put("column", at.column);
  put("byte_offset", at.byte_offset);
  put("frame", at.frame);
  put("channel", at.channel);
  if (at.joint) {
    put("joint_index", at.joint);
    error.args.emplace_back("joint_name", at.joint_name);
  }
  error.message = RenderIssue(issue);
  return MakeCallError(std::move(error));
}

namespace {

// True if the caller has made an issue of the list less severe than an error.
bool HasLowered(const Report& report, const ReportOptions& options) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [&](const Issue& issue) {
        const CatalogueEntry* entry = FindEntry(issue.code);
        return entry != nullptr && entry->strict == Severity::kError &&
               options.severities.contains(issue.code);
      });
}

// The status of a clip whose faults are not among the errors of the report.
absl::Status RefusalOfHidden(const Report& report,
                             const ReportOptions& options) {
  return MakeCallError(
      {.code = absl::StatusCode::kInvalidArgument,
       .reason = "CLIP_BROKEN",
       .message = HasLowered(report, options)
                      ? "the clip is broken; the severities of its faults are "
                        "lowered by request"
                      : "the clip is broken; the codes of its faults are "
                        "ignored by request"});
}

// The status of a clip that the report refuses.
absl::Status Refusal(const Report& report, const ReportOptions& options) {
  const Issue* error = FirstError(report);
  if (error == nullptr) return RefusalOfHidden(report, options);
  const bool is_limit = error->code.starts_with(kLimitPrefix);
  return ErrorOf(is_limit ? absl::StatusCode::kResourceExhausted
                          : absl::StatusCode::kInvalidArgument,
                 *error);
}

}  // namespace

ReportOptions LogOptions(const ConvertOptions& options) {
  ReportOptions report = options.report;
  if (report.max_issues == 0)
    report.max_issues = options.limits.max_issues_per_report;
  return report;
}

void LogUnknownFields(const ConvertOptions& options, IssueLog* log) {
  std::string fields;
  for (const std::string& field : options.unknown_fields) {
    fields += (fields.empty() ? "" : ", ") + field;
  }
  if (fields.empty()) return;
  log->Add(IssueCode::REQUEST_FIELD_UNKNOWN, {}, {{"fields", fields}},
           static_cast<int64_t>(options.unknown_fields.size()));
}

void Reset(ConvertResult* result) {
  result->status = absl::OkStatus();
  result->report.issues.clear();
  result->skeleton.reset();
  result->measures.reset();
  result->times = {};
}

void RefuseUnread(const absl::Status& status, ConvertResult* result) {
  result->status = status;
  result->report = {};
  result->info = {};
  result->measures.reset();
}

void FinalizeReport(const ClipRead& read, const ReportOptions& options,
                    const CancelToken* cancel, IssueLog* log,
                    ConvertResult* result) {
  if (read.skeleton_read) {
    DescribeClip(*read.skeleton, read.frames, read.frame_time, &result->info);
  } else {
    result->info = {};
  }
  result->report = log->Finish(read.skeleton_read, read.motion_read);
  if (IsCancelled(cancel)) {
    result->status = MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  } else if (!IsGood(result->report.verdict)) {
    result->status = Refusal(result->report, options);
  }
  if (!result->status.ok()) result->measures.reset();
}

}  // namespace bvhmill
