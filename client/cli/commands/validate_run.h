#pragma once

// The run of `validate`, and of `repair --dry-run`, over all clips: checks each
// clip, and writes the report, the summary and the baseline.
//
//   ValidateParts parts;  // the inputs, and the files that are open
//   ReportOutput output(session->console);
//   status = output.Open(flags.report.output, flags.report.force);
//   return CheckAll(flags, *session, &parts, &output);

#include <optional>
#include <vector>

#include "bvhmill/files/inputs.h"
#include "client/cli/dataset/baseline.h"
#include "client/cli/dataset/dataset_options.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/options/options.h"
#include "client/cli/report/renderings.h"
#include "client/cli/session.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {

// The options of the command line.
struct ValidateFlags {
  RunOptions run;
  InputOptions input;
  ConvertOptions convert;
  OutputFlags outputs;
  ReportFlags report;
  DatasetFlags dataset;
  // `repair --dry-run`: applies the repairs of `convert` without outputs. The
  // summary counts the clips that they would change.
  bool is_dry_run = false;
  // Issues of lower severities are not listed. If warnings make a clip fail,
  // they are listed in any case.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
};

// The objects of a run that the command line names.
struct ValidateParts {
  std::vector<Input> inputs;
  ClipExpectations expectations;
  std::optional<Baseline> baseline;
  // Both are set, or none.
  std::optional<Baseline> written_baseline;
  std::optional<ReportOutput> baseline_file;
  // None without --passed. It is open.
  std::optional<ReportOutput> passed_file;
  // None without --summary. Both files are open.
  std::optional<ReportOutput> summary_file;
  // The lines of --report-jsonl, open or not. On stdout they replace the
  // report.
  std::optional<JsonLines> lines;
};

// Checks all clips, writes the report and the file of --summary, and prints the
// summary unless there is one clip or -q. Writes the list of --passed and the
// baseline only if every clip was checked and the report and the summary were
// written, and the baseline only if every clip was read, too. Prints errors;
// returns the exit status. Requires that the session has an engine, and that
// `output` is open.
int CheckAll(const ValidateFlags& flags, const Session& session,
             ValidateParts* parts, ReportOutput* output);

}  // namespace bvhmill::client
