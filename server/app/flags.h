#pragma once

// The flags of bvhmilld; names in a file and in the environment follow them.

#include <CLI/CLI.hpp>

#include "server/app/config.h"

namespace bvhmill::server {

// Adds every flag that sets a field of `config`, which outlives `app`.
void AddFlags(CLI::App* app, ServerConfig* config);

}  // namespace bvhmill::server
