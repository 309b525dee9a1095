#include "client/issue_lines.h"

#include "bvhmill/base/status.h"
#include "client/edit_options.h"
#include "client/text.h"

namespace bvhmill::client {
namespace {

// "(31 joints, 433 frames)" of a good clip, "(2 errors)" of a bad one; with
// the warnings of either.
std::string Facts(const ConvertResult& result) {
  const IssueCounts& counts = result.report.counts;
  std::string facts;
  const auto add = [&facts](int64_t count, std::string_view noun) {
    facts += (facts.empty() ? "" : ", ") + Count(count, noun);
  };
  if (IsGood(result.report.verdict)) {
    add(result.info.joint_count, "joint");
    add(result.info.frames, "frame");
  }
  if (counts.errors > 0) add(counts.errors, "error");
  if (counts.warnings > 0) add(counts.warnings, "warning");
  return facts.empty() ? "" : " (" + facts + ")";
}

}  // namespace

std::string IssueLine(std::string_view path, const Issue& issue) {
  return Printable(path) + (issue.location.line ? ":" : ": ") +
         RenderIssue(issue);
}

std::string FailureLine(std::string_view path, const absl::Status& status) {
  const std::string_view message = MessageOf(status);
  // One that is an issue says already that it is an error.
  const bool is_issue = message.starts_with("error: ");
  return Printable(path) + (is_issue ? ": " : ": error: ") +
         InWordsOfOptions(message);
}

std::string FailureLine(std::string_view path, const ConvertResult& result) {
  // Of other failures, such as a full disk, the report knows nothing.
  const bool is_of_clip = absl::IsInvalidArgument(result.status) ||
                          absl::IsResourceExhausted(result.status);
  const Issue* error = is_of_clip ? FirstError(result.report) : nullptr;
  return error != nullptr ? IssueLine(path, *error)
                          : FailureLine(path, result.status);
}

std::string ReportText(std::string_view path, const ConvertResult& result) {
  std::string out = Printable(path) + ": " +
                    std::string(VerdictName(result.report.verdict)) +
                    Facts(result) + "\n";
  for (const Issue& issue : result.report.issues) {
    out += IssueLine(path, issue) + "\n";
  }
  if (result.report.truncated) {
    out += Printable(path) +
           ": note: there are more issues; --max-issues lists more of them\n";
  }
  return out;
}

}  // namespace bvhmill::client
