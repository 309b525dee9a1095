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
  // Whole lines for stdout and for stderr.
  std::string data;
  std::string diagnostics;
  // If it is set, it is called in the order of the inputs, by one thread at a
  // time, after the texts are printed. Returns false if no more data can be
  // written; the run then stops.
  std::function<bool()> in_turn;
  // Size of the file.
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
  // The run has ended before all clips had their turn.
  bool is_cut = false;
  ExitCode exit = kExitGood;
};

// The inputs of a command: as CollectInputs, without those that name a file
// once more. A note on stderr says so, unless `quiet`.
absl::StatusOr<std::vector<Input>> TakeInputs(const InputOptions& options,
                                              std::optional<FileId> skip,
                                              bool quiet,
                                              const Session& session);

// Reads the clip `input`, calls `work` with it and returns the result of
// `work`. A compressed clip stays compressed if the engine accepts that.
//
// If the file cannot be read or decompressed, returns NOT_FOUND without a
// report. If it is too large, returns the report that an engine would give. If
// memory is missing, returns RESOURCE_EXHAUSTED without a report.
//
// Sets `bytes` to the size of the file, and `progress` to half of the bytes
// that were read or sent so far, if the clip goes in pieces.
ConvertResult WithClip(
    const Session& session, const Input& input, const ReportOptions& report,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    int64_t* bytes, ClipProgress* progress);

// False if the clip was not read, so that there is no report.
bool HasReport(const ConvertResult& result);

// The outcome for `result`: its kind, and the message of a failure.
Outcome OutcomeOf(const Session& session, const Input& input,
                  const ConvertResult& result, const IssueView& view = {});

// Calls TakeLines if `clip` is text that is not compressed.
void TakeLinesOf(const ClipData& clip, const Report& report, IssueView* view);

// Calls `task` with the index of each input, for several inputs at the same
// time. Prints the texts of the outcomes in the order of the inputs, and shows
// the progress, including the progress that a task sets for its clip. Stops
// early if interrupted, if the server is lost, or if stdout is closed.
Totals RunClips(const Session& session, std::span<const Input> inputs,
                const std::function<Outcome(size_t, ClipProgress*)>& task);

// "57 of 58 clips converted, 1 failed, 22.1 MB in 0.52 s, 42.5 MB/s" and a line
// end, with `verb` for "converted".
std::string Summary(const Totals& totals, std::string_view verb);

}  // namespace bvhmill::client
