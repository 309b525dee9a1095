#pragma once

// The commands. Each function adds one to `parent`.

#include <CLI/CLI.hpp>

#include "client/options.h"

namespace bvhmill::client {

Command AddConvert(CLI::App* parent);
Command AddValidate(CLI::App* parent);
Command AddInfo(CLI::App* parent);
// `server info`.
Command AddServerInfo(CLI::App* parent);

}  // namespace bvhmill::client
