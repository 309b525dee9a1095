#pragma once

// Whether a server could start, without starting one.

#include "absl/status/status.h"
#include "server/app/config.h"

namespace bvhmill::server {

// Reads the files that `config` names and looks the addresses up. Says the
// first thing that is wrong. Does not see whether an address is taken: a server
// that runs may be the one that is to be restarted.
absl::Status CheckConfig(const ServerConfig& config);

}  // namespace bvhmill::server
