#pragma once

// Checks a configuration without starting a server.

#include "absl/status/status.h"
#include "server/app/config.h"

namespace bvhmill::server {

// Reads the files that `config` names and looks up its addresses. Returns the
// first error. Does not check if an address is in use: the server that runs
// there may be the one to restart.
absl::Status CheckConfig(const ServerConfig& config);

}  // namespace bvhmill::server
