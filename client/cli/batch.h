#pragma once

// A run over many clips at once.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/io/inputs.h"
#include "client/cli/session.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

// What became of one clip.
struct Outcome {
  enum class Kind {
    kGood,
    kFailed,
    kSkipped,
    kCancelled,
    // The server failed on this one.
    kServerError,
    // No clip can be done any more.
    kServerRefuses,
    kUnreachable,
  };

  Kind kind = Kind::kGood;
  // For stdout and stderr, whole lines.
  std::string data;
  std::string diagnostics;
  // Of the file, as it is.
  int64_t bytes = 0;
};

// What became of all of them.
struct Totals {
  int64_t clips = 0;
  int64_t good = 0;
  int64_t failed = 0;
  int64_t skipped = 0;
  int64_t bytes = 0;
  double seconds = 0;
  ExitCode exit = kExitGood;
};

// Reads a clip and hands it to `work`, whose result it returns; an .anim as the
// BVH clip of what is played, a packed one as it is if the engine takes it. A
// clip that cannot be read or unpacked, by whomever, gets NOT_FOUND and no
// report; one that is too large the report that an engine would give it; one
// that the system has no memory for RESOURCE_EXHAUSTED, and no report.
// `bytes` is set to the size of the file, `progress` to what of it was sent to
// a server.
ConvertResult WithClip(
    const Session& session, const Input& input, const ReportOptions& report,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    int64_t* bytes, ClipProgress* progress);

// False if nothing was found out about the clip.
bool HasReport(const ConvertResult& result);

// The outcome of a clip by its result: kind, and what to say of a failure.
Outcome OutcomeOf(const Session& session, const Input& input,
                  const ConvertResult& result, const IssueView& view = {});

// TakeLines of the file `input`, if `clip` is what stands in it.
void TakeLinesOf(const Input& input, const ClipData& clip, const Report& report,
                 IssueView* view);

// Calls `task` for the index of each input, several at a time, and shows
// progress, also that which the task sets for its clip. What it says is shown
// in ascending order. Stops early when interrupted, when the server is lost,
// and when nobody reads stdout.
Totals RunClips(const Session& session, std::span<const Input> inputs,
                const std::function<Outcome(size_t, ClipProgress*)>& task);

// "57 of 58 clips converted, 1 failed, 22.1 MB in 0.52 s, 42.5 MB/s" and a line
// end, with `verb` for "converted".
std::string Summary(const Totals& totals, std::string_view verb);

}  // namespace bvhmill::client
