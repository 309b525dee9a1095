#pragma once

// Checks one clip for `validate`.

#include <optional>

#include "client/cli/batch.h"
#include "client/cli/dataset/clip_traits.h"
#include "client/cli/options/fail_on.h"
#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// The choices of a run that concern its clips.
struct ClipChecks {
  ConvertOptions convert;
  // Issues of lower severities are not listed.
  Severity severity = Severity::kHint;
  std::optional<FailOn> fail_on;
  // How lines of files are shown; empty lines in it.
  IssueView view;
  // Makes pictures of clips.
  bool has_pictures = false;
  // Compares the content of clips.
  bool hashes_content = false;
};

// A clip that was checked.
struct CheckedClip {
  ClipFinding finding;
  ClipTraits traits;
  // What the console prints and how the clip counts; its data are empty.
  Outcome outcome;
  // False if the clip was not checked: the run was interrupted, or a server
  // was lost. Such a clip is in no report.
  bool is_checked = false;
};

// Thread-safe, if `session` and `progress` are.
CheckedClip CheckClip(const ClipChecks& checks, const Session& session,
                      const Input& input, size_t index, ClipProgress* progress);

}  // namespace bvhmill::client
