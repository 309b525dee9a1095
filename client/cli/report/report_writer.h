#pragma once

// A rendering of the results of `validate`: text, JSON lines, SARIF, ...
//
// One file of this folder has one rendering, and one row of renderings.cc names
// it. A writer returns bytes; it does not know where they go.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/cli/dataset/summary.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/picture/clip_picture.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {

// The facts about a run that are known before its first clip.
struct RunFacts {
  // --fail-on; errors fail a clip without it.
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
  // As it was named or found; any bytes. See Printable and ToUtf8.
  std::string path;
  // True if the clip was read, so that `result` has a report and facts.
  bool is_read = false;
  // Why the clip was not read, or what failed besides the clip. Empty if the
  // report says everything.
  std::string error;
  // True if the clip passes by --fail-on.
  bool passes = false;
  // Issues that are not listed and not counted because the baseline has them.
  int64_t known_issues = 0;
  // result.report lists the issues that --severity, --baseline and the
  // expectations leave. result.info has the facts: joints, frames, rate.
  ConvertResult result;
  // The codes of all issues that are severe enough to be listed, also of those
  // that --max-issues keeps out of the list.
  std::vector<CodeCount> codes;
  // Lines of the file at the issues, by byte offset, if the writer asks for
  // them.
  IssueView view;
  // The picture of the clip, if the writer shows pictures and the clip could be
  // converted.
  std::optional<ClipPicture> picture;
};

// The facts about a run that are known after its last clip.
struct RunSummary {
  // Clips of the run, and those that passed. If the run is not
  // complete, `dataset` has fewer clips.
  int64_t clips = 0;
  int64_t passed = 0;
  // False if the run was interrupted, or a server was lost, refused the clips
  // or failed on one of them.
  bool complete = true;
  DatasetSummary dataset;
};

class ReportWriter {
 public:
  virtual ~ReportWriter() = default;

  // The text of one clip. Thread-safe: workers call it in any order. A writer
  // that prints clips one after another needs only this function.
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
