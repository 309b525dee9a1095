#pragma once

// What the commands share: where the work is done, and what to say where.

#include <memory>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "client/console.h"
#include "client/engine.h"
#include "client/exit_codes.h"
#include "client/progress.h"

namespace bvhmill::client {

struct RunOptions {
  ConnectOptions connect;
  bool local = false;
  // Of local work.
  Limits limits;
  // Clips in flight; 0 = as many as cores.
  int jobs = 0;
  bool quiet = false;
  ProgressMode progress = ProgressMode::kAuto;
};

// One run of the program. What it points to is thread-safe.
struct Session {
  RunOptions options;
  Console* console = nullptr;
  const CancelToken* cancel = nullptr;
  std::unique_ptr<Engine> engine;
};

// Connects by options.connect. On failure, says why on the console, followed by
// `hint` if no server answers, and sets `exit` to the status to exit with.
std::unique_ptr<Client> ConnectOrSay(const Session& session,
                                     std::string_view hint, ExitCode* exit);

// Fills session->engine by session->options, or fails as ConnectOrSay does.
ExitCode OpenEngine(Session* session);

}  // namespace bvhmill::client
