#pragma once

// Runs `bvhmill convert` and `bvhmill repair`.

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/options.h"
#include "client/cli/anim/anim_choices.h"
#include "client/cli/batch.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/io/inputs.h"
#include "client/cli/io/output_dir.h"
#include "client/cli/manifest.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/session.h"
#include "client/cli/ui/code_tally.h"
#include "client/cli/ui/json_lines.h"

namespace bvhmill::client {

struct ConversionOptions {
  // The outputs to make of each clip, and all other options of conversions.
  ConvertOptions convert;
  // The format that is stated for all inputs.
  std::optional<SourceFormat> from;
  // The folder of the outputs. If `one_file`, the file of the only output, or
  // "-" for stdout.
  std::string output;
  bool one_file = false;
  // The files that the command reads beside its inputs: no output replaces one.
  std::set<FileId> read;
  bool report = false;
  bool force = false;
  bool resume = false;
  std::string report_jsonl;
  // A clip that fails by its warnings gets its report but no outputs.
  std::optional<FailOn> fail_on;
  bool table = false;
};

// Adds -f, --resume and --report-jsonl to `app`. Parsing writes their values
// into `conversion`, which must live until then.
void AddFileOptions(CLI::App* app, const std::string& group,
                    ConversionOptions* conversion);

// Checks that the files of --report-jsonl and, if `one_file`, of -o are two
// files, that none of them is a file that is read, and that --report-jsonl
// names no output. Call it before anything is written. INVALID_ARGUMENT
// "OPTION: PATH: why".
absl::Status CheckFiles(const ConversionOptions& conversion,
                        const std::vector<Input>& inputs);

class Conversion {
 public:
  // Options and session are borrowed.
  Conversion(const ConversionOptions& options, std::vector<Input> inputs,
             Session* session);

  // Opens the engine of the session, converts the clips, and prints failures,
  // warnings and the summary. Skips clips by --resume. Stops early if it is
  // interrupted, or if the server is lost. Returns the exit status. Call once.
  ExitCode Run();

 private:
  struct Row {
    std::string joints = "-";
    std::string frames = "-";
    std::string verdict = "not done";
    std::string warnings = "-";
    std::string outputs = "-";
    std::string rate = "-";
  };

  std::string HowToGoOn() const;
  // True if the summary counts repairs, and not the faults before them.
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
  void Warn(const Input& input, const ConvertResult& result,
            const IssueView& view, Outcome* outcome);
  Row MakeRow(const ConvertResult& result, const ClipOutputs& outputs,
              const Outcome& outcome, double seconds) const;
  std::string Table() const;

  const ConversionOptions& options_;
  Session& session_;
  std::vector<Input> inputs_;
  OutputRules rules_;
  std::optional<OutputDir> directory_;
  std::optional<Manifest> manifest_;
  JsonLines lines_;
  // Codes of clips that were converted, and of those that fail only by their
  // warnings; those of repairs alone, if CountsRepairs.
  CodeTally codes_;
  AnimChoices choices_;
  // Codes of clips that failed, also of those that fail by warnings.
  CodeTally errors_;
  // Clips that repairs have changed.
  std::atomic<int64_t> changed_ = 0;
  // One for each input; each is written by one thread.
  std::vector<Row> rows_;
};

}  // namespace bvhmill::client
