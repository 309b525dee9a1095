#pragma once

// Runs a task for each clip of a command, in several threads, and prints the
// results in the order of the inputs.
//
// Step 3 of `bvhmill convert` (main.cc lists the steps). WithClip reads the
// bytes of one clip (io/read_clip.h) for the engine:
//
//   Totals totals = RunClips(session, inputs, [&](size_t i, auto* progress) {
//     ConvertResult result = WithClip(
//         session, inputs[i], report_options,
//         [&](const ClipData& clip) { return engine.Convert(...); }, &bytes,
//         progress);
//     return OutcomeOf(session, inputs[i], result);
//   });

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/session.h"
#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

// The result of one clip of a run.
struct Outcome {
  enum class Kind {
    kGood,
    kFailed,
    kSkipped,
    kCancelled,
    // The server failed on this clip; others can still succeed.
    kServerError,
    // The server refuses all clips.
    kServerRefuses,
    kUnreachable,
  };

  Kind kind = Kind::kGood;
  // Whole lines: `data` for stdout, `diagnostics` for stderr.
  std::string data;
  std::string diagnostics;
  // Called after the texts are printed, in the order of the inputs, by one
  // thread at a time. May be empty. Returns false if no more data can be
  // written; the run then stops.
  std::function<bool()> in_turn;
  // Size of the file of the clip.
  int64_t bytes = 0;
};

// The result of a run.
struct Totals {
  int64_t clips = 0;
  int64_t good = 0;
  int64_t failed = 0;
  int64_t skipped = 0;
  int64_t bytes = 0;
  double seconds = 0;
  // The run stopped before all clips were processed.
  bool is_cut = false;
  ExitCode exit = kExitGood;
};

// The inputs of a command, as CollectInputs returns them. Drops an input that
// names the file of an earlier one, and prints a note about that to stderr,
// unless `quiet`.
absl::StatusOr<std::vector<Input>> TakeInputs(const InputOptions& options,
                                              std::optional<FileId> skip,
                                              bool quiet,
                                              const Session& session);

// Reads the clip `input`, calls `work` with it and returns the result of
// `work`. A compressed clip stays compressed if the engine accepts its
// compression.
//
// Returns NOT_FOUND without a report if the file cannot be read or
// decompressed; the report of an engine if the file is larger than the limit;
// RESOURCE_EXHAUSTED without a report if the system has no memory.
//
// Sets `bytes` to the size of the file, and `sha256` to its digest unless that
// is null; both before `work` is called. Sets `progress` to half of the bytes
// that were read or sent so far, if the clip is read or sent in pieces.
ConvertResult WithClip(
    const Session& session, const Input& input, const ReportOptions& report,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    int64_t* bytes, ClipProgress* progress, std::string* sha256 = nullptr);

// False if the clip was not read, so that there is no report.
bool HasReport(const ConvertResult& result);

// The outcome of a clip with `result`: its kind, and the message of a failure.
Outcome OutcomeOf(const Session& session, const Input& input,
                  const ConvertResult& result, const IssueView& view = {});

// Calls TakeLines of ui/issue_lines.h if `clip` is a BVH text that is not
// compressed.
void TakeLinesOf(const ClipData& clip, const Report& report, IssueView* view);

// Calls `task` with the index of each input, in as many threads as
// options.jobs says. Prints the texts of the outcomes in the order of the
// inputs, and shows the progress, including the progress that a task sets for
// its clip. Stops early if interrupted, if the server is lost or refuses the
// clips, or if stdout is closed.
Totals RunClips(const Session& session, std::span<const Input> inputs,
                const std::function<Outcome(size_t, ClipProgress*)>& task);

// "57 of 58 clips converted, 1 failed, 22.1 MB in 0.52 s, 42.5 MB/s" and a line
// end, with `verb` for "converted".
std::string Summary(const Totals& totals, std::string_view verb);

}  // namespace bvhmill::client
