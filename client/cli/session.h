#pragma once

// What the commands share: where the work is done, and what to say where.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "client/cli/ui/console.h"
#include "client/cli/engine.h"
#include "client/cli/exit_codes.h"
#include "client/cli/ui/progress.h"

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
  // The command line. Options may also come from the environment and from a
  // file, where they may be meant for other commands.
  std::vector<std::string> words;
  Console* console = nullptr;
  const CancelToken* cancel = nullptr;
  std::unique_ptr<Engine> engine;
};

// Connects by options.connect. On failure, says why on the console, followed by
// `hint` if no server answers, and sets `exit` to the status to exit with.
std::unique_ptr<Client> ConnectOrSay(const Session& session,
                                     std::string_view hint, ExitCode* exit);

// True if `option`, such as "--fps", stands on the command line.
bool IsTyped(const Session& session, std::string_view option);

// Fills session->engine by session->options, or fails as ConnectOrSay does.
ExitCode OpenEngine(Session* session);

}  // namespace bvhmill::client
