#pragma once

// The state that all commands share: common options, the console, the engine.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "client/cli/engine.h"
#include "client/cli/exit_codes.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

struct RunOptions {
  // `connect.server` is empty if no server is named: clips are then converted
  // in this process.
  ConnectOptions connect;
  // --local: clips are converted in this process even if a server is named.
  bool local = false;
  // Used only if clips are converted in this process.
  Limits limits;
  // Clips in flight; 0 = one per core.
  int jobs = 0;
  bool quiet = false;
  ProgressMode progress = ProgressMode::kAuto;
};

// One run of the program. The objects that it points to are thread-safe.
struct Session {
  RunOptions options;
  // The command line. Options may also come from the environment and from a
  // file, where they may be meant for other commands.
  std::vector<std::string> words;
  Console* console = nullptr;
  const CancelToken* cancel = nullptr;
  std::unique_ptr<Engine> engine;
};

// Connects to options.connect.server. On failure, prints the reason, followed
// by `hint` if no server answers, sets `exit` to the exit status and returns
// null. Blocks for connect_timeout at most.
std::unique_ptr<Client> ConnectOrReport(const Session& session,
                                        std::string_view hint, ExitCode* exit);

// True if `option`, such as "--fps", is on the command line.
bool IsTyped(const Session& session, std::string_view option);

// Fills session->engine: a connected RemoteEngine if options.connect.server is
// not empty, else a LocalEngine. Fails as ConnectOrReport does.
ExitCode OpenEngine(Session* session);

}  // namespace bvhmill::client
