#pragma once

// Runs `bvhmill convert` and `bvhmill repair`: converts all clips of a command
// line and writes their outputs into one folder, into one file, or to stdout.
//
// Step 2 of `bvhmill convert` (main.cc lists the steps). commands/convert.cc
// collects the inputs and completes the options:
//
//   std::string why = ChooseOutput(inputs, &options);
//   if (why.empty()) status = CheckFiles(options, inputs);
//   return ConversionRun(options, std::move(inputs), session).Run();
//
// Run opens the engine, the folder and its manifest, and calls RunClips of
// batch.h. The task of each clip asks ClipOutputs::Prepare whether the clip is
// up to date, calls WithClip for its bytes and Engine::Convert for its outputs,
// and commits these.

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options.h"
#include "client/cli/anim/anim_choices.h"
#include "client/cli/batch.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/manifest.h"
#include "client/cli/options/options.h"
#include "client/cli/session.h"
#include "client/cli/ui/code_tally.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {

// The options of a conversion, as the command line states them.
struct ConversionOptions {
  // The outputs to make of each clip, and how to make them.
  ConvertOptions convert;
  // --from: the format of all inputs; none: their names decide.
  std::optional<SourceFormat> from;
  // The folder of the outputs. If `one_file`, the file of the only output, or
  // "-" for stdout.
  std::string output;
  bool one_file = false;
  // The files that the command reads in addition to its inputs (FilesReadBy).
  // No output may replace one of them.
  std::set<FileId> read;
  // Write a .report.json for each clip.
  bool report = false;
  // Replace outputs that exist.
  bool force = false;
  // Skip clips whose outputs are up to date; see OutputRules.
  bool resume = false;
  // --delete: delete the outputs of clips that are gone (io/gone_outputs.h).
  bool delete_gone = false;
  // The file for one line of JSON per clip; "-" is stdout, "" is none.
  std::string report_jsonl;
  // --fail-on. With kWarning, a clip with warnings fails: its report is
  // written, but not its outputs.
  std::optional<FailOn> fail_on;
  // Print a table with one row per clip.
  bool table = false;
  // Print the inputs and the outputs, and convert nothing.
  bool dry_run = false;
};

// Adds -f, --resume and --report-jsonl to `app`. Parsing writes their values
// into `conversion`, which must live until then.
void AddFileOptions(CLI::App* app, const std::string& group,
                    ConversionOptions* conversion);

// Decides whether -o names a folder or one file. Sets options->one_file if -o
// is "-", or if it is not an existing folder and ends in the last extension of
// a format or of the report: .npy, for example, of .positions.npy. Upper and
// lower case differ.
//
// Returns an error message if -o does not fit `options` and `inputs`; else "".
// One file is for one clip and one format, has the extension of that format,
// and excludes --resume and --delete. Stdout also excludes other data on
// stdout. For a folder, returns WhyNoFolder.
std::string ChooseOutput(const std::vector<Input>& inputs,
                         ConversionOptions* options);

// Returns an error message if `output` does not exist and its name has the
// extension of a file; else "". No folder of such a name is made. A name that
// ends in a slash, or whose extension has no letter, is the name of a folder.
std::string WhyNoFolder(const std::string& output);

// Checks the file of --report-jsonl and, if `one_file`, the file of -o: they
// must differ, the command must not read them, and --report-jsonl must not name
// an output. Call it before anything is written. INVALID_ARGUMENT "OPTION:
// PATH: why".
absl::Status CheckFiles(const ConversionOptions& conversion,
                        const std::vector<Input>& inputs);

// One run of `convert` or `repair` over all inputs.
class ConversionRun {
 public:
  // `options` and `session` must outlive the conversion.
  ConversionRun(const ConversionOptions& options, std::vector<Input> inputs,
                Session* session);

  // Opens the engine of the session, converts the clips, and prints failures,
  // warnings and the summary. Skips clips by --resume. Stops early if it is
  // interrupted, or if the server is lost. Returns the exit status. Call once.
  ExitCode Run();

 private:
  // The cells of one clip in the table of --table.
  struct Row {
    std::string joints = "-";
    std::string frames = "-";
    std::string verdict = "not done";
    std::string warnings = "-";
    std::string outputs = "-";
    std::string rate = "-";
  };

  // Returns a line with the command that explains the most frequent code.
  std::string HowToGoOn() const;
  // True if the summary counts the repairs of clips instead of their faults.
  bool CountsRepairs() const;
  // "converted"; after repairs also the number of clips that they changed.
  std::string Verb() const;
  absl::Status OpenOutputs();
  absl::Status OpenFolder();
  absl::Status OpenManifest();
  Outcome ConvertOne(size_t index, ClipProgress* progress);
  ConvertResult ConvertInto(const Input& input, ClipOutputs* outputs,
                            IssueView* view, int64_t* bytes,
                            ClipProgress* progress);
  void FoldExisting(const ClipOutputs& outputs, Outcome* outcome);
  void Warn(const Input& input, const ConvertResult& result,
            const IssueView& view, Outcome* outcome);
  Row MakeRow(const ConvertResult& result, const ClipOutputs& outputs,
              const Outcome& outcome, double seconds) const;
  std::string Table() const;
  ExitCode ShowPlan();
  ExitCode ShowGone();
  std::string DeleteGoneOutputs(Totals* totals);

  const ConversionOptions& options_;
  Session& session_;
  std::vector<Input> inputs_;
  OutputRules rules_;
  std::optional<OutputDir> directory_;
  std::optional<Manifest> manifest_;
  JsonLines lines_;
  // The clips whose outputs exist, and the message about them.
  std::mutex existing_mutex_;
  int64_t existing_ = 0;
  std::string existing_text_;
  // The codes of clips that were converted or that fail only because of
  // warnings. If CountsRepairs, only the codes of repairs.
  CodeTally codes_;
  AnimChoices choices_;
  // The codes of clips that failed, also of those that fail only because of
  // warnings.
  CodeTally errors_;
  // Clips that repairs have changed.
  std::atomic<int64_t> changed_ = 0;
  // One for each input; each is written by one thread.
  std::vector<Row> rows_;
};

// The line of the clip `path` in the file of --report-jsonl, without a line
// end; docs/schema/convert.schema.json is its schema. `outputs` are the files
// that were written.
std::string ConversionLine(const std::string& path, const ConvertResult& result,
                           const std::vector<std::string>& outputs);

}  // namespace bvhmill::client
