#pragma once

// Applies one change to many .anim files, in several threads.
//
//   return EditAnims(app, batch, [](AnimMotion* motion) {
//     motion->loop = 1;
//     return absl::OkStatus();
//   }, session);

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/files/inputs.h"
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

// Changes a motion; thread-safe. The status says why it cannot be changed.
using AnimEdit = std::function<absl::Status(AnimMotion* motion)>;

// Applies `edit` to each input and writes the result; returns the exit status.
// A result that the viewer would refuse is not written. `app` is the command,
// for messages.
int EditAnims(const CLI::App* app, const AnimBatch& batch, const AnimEdit& edit,
              Session* session);

}  // namespace bvhmill::client
