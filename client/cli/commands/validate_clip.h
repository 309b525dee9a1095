#pragma once

// Checks one clip for `validate`.

#include <optional>
#include <vector>

#include "client/cli/batch.h"
#include "client/cli/dataset/baseline.h"
#include "client/cli/dataset/clip_traits.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// The choices of a run that concern its clips.
struct ClipChecks {
  ConvertOptions convert;
  // Issues of lower severities are not listed. If warnings make the clip fail,
  // they are listed in any case.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
  // The way in which lines of files are shown. It has no lines yet.
  IssueView view;
  // True if the finding gets a picture.
  bool has_pictures = false;
  // True if the traits get hashes of the content.
  bool hashes_content = false;
  // Borrowed; may be null. Known issues are taken out of the report.
  Baseline* baseline = nullptr;
  // Borrowed; may be null. Gets all issues of the clip.
  Baseline* written_baseline = nullptr;
};

// A clip that was checked.
struct CheckedClip {
  ClipFinding finding;
  ClipTraits traits;
  // The kind tells whether the clip passes. `diagnostics` is empty if the
  // report holds the reason of a failure. `data` is always empty.
  Outcome outcome;
  // True if the engine has listed only a part of the issues.
  bool is_cut = false;
  // False if the clip was not checked: the run was interrupted, or the server
  // was lost, refused the clip or failed on it. Such a clip is in no report.
  bool is_checked = false;
};

// Reads and checks the clip `input`, which has this index in the run, from 0.
// `expectations` are those of its data set, or null. Requires that the session
// has an engine. Blocks for the file and the server. Returns all errors in the
// result: see `outcome` and finding.error. Several threads may check clips at
// the same time.
CheckedClip CheckClip(const ClipChecks& checks, const Session& session,
                      const Input& input, size_t index,
                      const Expectations* expectations, ClipProgress* progress);

}  // namespace bvhmill::client
