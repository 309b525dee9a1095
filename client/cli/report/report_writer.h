#pragma once

// A ReportWriter renders the results of `validate` as text, JSON lines, SARIF,
// JUnit or HTML. Each X_writer.cc of this folder defines one, and a row of
// renderings.cc names it. A writer returns bytes and does no I/O:
//
//   std::string out = writer->Begin(facts);
//   for (const ClipFinding& clip : findings) {
//     out += writer->Add(clip, writer->Render(clip));
//   }
//   out += writer->End(summary);

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/dataset/summary.h"
#include "client/cli/options/options.h"
#include "client/cli/picture/picture.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {

// The facts about a run that are known before its first clip.
struct RunFacts {
  // The value of --fail-on. If it is not set, only errors fail a clip.
  std::optional<FailOn> fail_on;
  // The names of the inputs, for people.
  std::string title;
  // True if ClipPicture::height is in meters: see HasMeters.
  bool has_meters = false;
};

// The result for one clip.
struct ClipFinding {
  // Position among the inputs of the run, from 0.
  size_t index = 0;
  // The path as the user wrote it, or as the search found it. It may not be
  // UTF-8: see Printable and ToUtf8.
  std::string path;
  // True if the clip was read, so that `result` has a report and facts.
  bool is_read = false;
  // Why the clip was not read, or an error that is not a fault of the clip,
  // such as a lost server. Empty if the report states every error.
  std::string error;
  // True if the clip passes; --fail-on states which severity fails it.
  bool passes = false;
  // Issues that are not listed and not counted because the baseline has them.
  int64_t known_issues = 0;
  // result.report lists the issues that are left after --severity, --baseline
  // and the expectations have removed others. result.info has the facts:
  // joints, frames, rate.
  ConvertResult result;
  // The codes of all issues that reach --severity, with their counts. Issues
  // that --max-issues cuts from the list count, too.
  std::vector<CodeCount> codes;
  // The lines of the file that have issues, by byte offset. Empty unless the
  // rendering prints them.
  IssueView view;
  // The picture of the clip, if the writer shows pictures and the clip could be
  // converted.
  std::optional<ClipPicture> picture;
};

// The facts about a run that are known after its last clip.
struct RunSummary {
  // The number of clips of the run, and the number that passed. If the run is
  // not complete, `dataset` covers fewer clips.
  int64_t clips = 0;
  int64_t passed = 0;
  // False if the run was interrupted, or a server was lost, refused the clips
  // or failed on one of them.
  bool complete = true;
  DatasetSummary dataset;
};

// One rendering of the results. The example at the top shows the order of the
// calls.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;

  // Returns the text of one clip. Thread-safe: workers call it in any order. A
  // writer whose output is the texts of the clips, one after another, overrides
  // only this function.
  virtual std::string Render(const ClipFinding& clip) const = 0;

  // The functions below are called by one thread at a time: Begin once, Add
  // once for each clip in the order of the inputs, End once. Each returns the
  // next bytes of the output.
  virtual std::string Begin(const RunFacts& /*run*/) { return {}; }
  // `rendered` is the result of Render for this clip.
  virtual std::string Add(const ClipFinding& /*clip*/, std::string rendered) {
    return rendered;
  }
  virtual std::string End(const RunSummary& /*summary*/) { return {}; }
};

}  // namespace bvhmill::client
