#include "client/cli/commands/validate_clip.h"

#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cli/picture/picture_check.h"

namespace bvhmill::client {
namespace {

// Sets the result, the content and the lines of the clip.
void Validate(const ClipChecks& checks, const Session& session,
              const Input& input, ClipProgress* progress,
              CheckedClip* checked) {
  IssueView* view = &checked->finding.view;
  checked->finding.result = WithClip(
      session, input, checks.convert.report,
      [&](const ClipData& clip) {
        ConvertResult found =
            checks.has_pictures
                ? ValidateWithPicture(session.engine.get(), input.path, clip,
                                      checks.convert, session.cancel,
                                      &checked->finding.picture)
                : session.engine->Validate(input.path, clip, checks.convert,
                                           session.cancel);
        TakeLinesOf(input, clip, found.report, view);
        const bool is_bvh = clip.encoding == v1::CONTENT_ENCODING_IDENTITY;
        if (checks.hashes_content) {
          checked->traits.content = HashContent(clip.bytes, is_bvh);
        }
        return found;
      },
      &checked->outcome.bytes, progress);
}

}  // namespace

CheckedClip CheckClip(const ClipChecks& checks, const Session& session,
                      const Input& input, size_t index,
                      ClipProgress* progress) {
  CheckedClip checked;
  ClipFinding& finding = checked.finding;
  finding.index = index;
  finding.path = input.path;
  finding.view = checks.view;
  Validate(checks, session, input, progress, &checked);
  ConvertResult& result = finding.result;
  const int64_t bytes = checked.outcome.bytes;
  checked.outcome = OutcomeOf(session, input, result);
  checked.outcome.bytes = bytes;
  finding.is_read = HasReport(result) && !absl::IsCancelled(result.status);
  if (finding.is_read) {
    const auto content = checked.traits.content;
    checked.traits = TraitsOf(result);
    checked.traits.content = content;
    ListFrom(checks.severity, &result.report);
    finding.passes =
        result.status.ok() && Passes(result.report, checks.fail_on);
    checked.outcome.kind =
        finding.passes ? Outcome::Kind::kGood : Outcome::Kind::kFailed;
  }
  // The report holds the reason, unless the clip is not the cause.
  const bool is_reported =
      finding.is_read &&
      (result.status.ok() || FirstError(result.report) != nullptr);
  if (is_reported) checked.outcome.diagnostics.clear();
  if (!is_reported) finding.error = std::string(MessageOf(result.status));
  checked.is_checked =
      finding.is_read || checked.outcome.kind == Outcome::Kind::kFailed;
  return checked;
}

}  // namespace bvhmill::client
