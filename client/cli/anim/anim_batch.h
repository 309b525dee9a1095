#pragma once

// Makes a file of each of many .anim files, in several threads.
//
//   const AnimWork work = {AnimFormat(), "edited", edit, write};
//   return RunAnims(app, batch, work, session);

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/issue_log.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// The files of a run: its inputs, and where the results go.
struct AnimBatch {
  InputOptions input;
  // A file for the only input, "-" for stdout, or a folder: each file keeps its
  // name, without .gz or .zst, and its path below a folder that was searched.
  std::string output;
  bool force = false;
  RunOptions run;
};

// The work of a command on one motion. Several threads call its functions.
struct AnimWork {
  // The format of the new files.
  FormatOptions format;
  // "edited", for the summary.
  std::string_view verb;
  // Changes the motion; may be empty. The status says why it cannot be changed.
  std::function<absl::Status(AnimMotion* motion)> edit;
  // Writes the new file, and logs its issues.
  std::function<absl::Status(const AnimMotion& motion, std::string* bytes,
                             IssueLog* log)>
      write;
};

// Adds --output and --force to `app`. `what` is the content of the output.
void AddAnimOutputs(CLI::App* app, const std::string& what, AnimBatch* batch);

// Does `work` with each input and stores the result; returns the exit status.
// `app` is the command, for messages.
int RunAnims(const CLI::App* app, const AnimBatch& batch, const AnimWork& work,
             Session* session);

}  // namespace bvhmill::client
