#pragma once

// What the command line says by its exit status. Scripts rely on it.

namespace bvhmill::client {

enum ExitCode : int {
  kExitGood = 0,
  kExitClipFailed = 1,
  kExitUsage = 2,
  kExitUnreachable = 3,
  kExitServerError = 4,
  kExitInterrupted = 130,
};

}  // namespace bvhmill::client
