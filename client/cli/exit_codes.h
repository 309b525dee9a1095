#pragma once

// The exit statuses of bvhmill. Scripts rely on them.

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
