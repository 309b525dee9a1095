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
  // Issues of lower severities are not listed.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
  // The way in which lines of files are shown. It has no lines yet.
  IssueView view;
  // Makes pictures of clips.
  bool has_pictures = false;
  // Compares the content of clips.
  bool hashes_content = false;
  // Both are borrowed and may be null.
  Baseline* baseline = nullptr;
  Baseline* written_baseline = nullptr;
};

// A clip that was checked.
struct CheckedClip {
  ClipFinding finding;
  ClipTraits traits;
  // The codes of all issues that are severe enough to be listed, also of those
  // that --max-issues keeps out of the list.
  std::vector<CodeCount> codes;
  // The lines for the console, and whether the clip passes. Its data are empty.
  Outcome outcome;
  // True if the server has listed a part of the issues only.
  bool is_cut = false;
  // False if the clip was not checked: the run was interrupted, or a server
  // was lost. Such a clip is in no report.
  bool is_checked = false;
};

// Reads and checks the clip `input`, which has this index in the run.
// `expectations` are those of its data set, or null. Several threads may check
// clips at the same time.
CheckedClip CheckClip(const ClipChecks& checks, const Session& session,
                      const Input& input, size_t index,
                      const Expectations* expectations, ClipProgress* progress);

}  // namespace bvhmill::client
