#pragma once

// The state of one run of the program, which all commands share: the options,
// the console, the cancel token, the engine and the exit status.
//
// Step 1 of `bvhmill convert` (main.cc lists the steps). main() makes the
// Session and passes it to the command that the user chose. The command sets
// the options and opens the engine:
//
//   session->options = flags->run;
//   const ExitCode exit = OpenEngine(session);
//   if (exit != kExitGood) return exit;

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "client/cli/engine.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/progress.h"

namespace bvhmill::client {

// The exit statuses of bvhmill. Scripts rely on the numbers.
enum ExitCode : int {
  kExitGood = 0,
  kExitClipFailed = 1,
  kExitUsage = 2,
  kExitUnreachable = 3,
  kExitServerError = 4,
  kExitInterrupted = 130,
};

// The options of a run that are not about the content of clips.
struct RunOptions {
  // `connect.server` is empty if no server is named: clips are then converted
  // in this process.
  ConnectOptions connect;
  // --local: clips are converted in this process even if a server is named.
  bool local = false;
  // Used only if clips are converted in this process.
  Limits limits;
  // Clips in flight; 0 = one per core, two if a server converts them.
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

// Fills session->engine: a connected RemoteEngine if options.connect.server is
// not empty, else a LocalEngine. Fails as ConnectOrReport does.
ExitCode OpenEngine(Session* session);

// Connects to options.connect.server. On failure, prints the reason, followed
// by `hint` if no server answers, sets `exit` to the exit status and returns
// null. Blocks for connect_timeout at most.
std::unique_ptr<Client> ConnectOrReport(const Session& session,
                                        std::string_view hint, ExitCode* exit);

// True if `option`, such as "--fps", is on the command line.
bool IsTyped(const Session& session, std::string_view option);

// Installs handlers of SIGINT and SIGTERM and returns the token that they
// cancel. The first signal cancels the token. A signal more than one second
// later ends the program at once, with status 130. A signal within that second
// is ignored, so that the run can clean up.
//
// A signal that was ignored when the program started stays ignored. SIGPIPE and
// SIGXFSZ are ignored, so that a write to a closed pipe or beyond a file size
// limit returns an error. Call once, in main.
CancelToken* CatchSignals();

}  // namespace bvhmill::client
