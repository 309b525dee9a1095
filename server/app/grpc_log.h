#pragma once

// The messages of gRPC itself, as lines of the log. gRPC writes none unless the
// operator sets GRPC_VERBOSITY.
//
//   LogMessagesOfGrpc(config.log);  // Before gRPC starts.

#include "server/observe/log.h"

namespace bvhmill::server {

// From now on each message of gRPC is an event of a log with this format,
// without a bound on its rate. Call it once, before gRPC starts.
void LogMessagesOfGrpc(LogFormat format);

}  // namespace bvhmill::server
