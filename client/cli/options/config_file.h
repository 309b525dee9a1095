#pragma once

// Options from --config FILE and from the environment. The command line has
// priority over both.

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// Makes every option of `command` readable from the environment, if that
// command is chosen.
void ReadEnvironment(CLI::App* command);

// Gives the options of the chosen command that have no value those of the file
// at `path`, lines of the form that settings_text.h shows. A name is that of an
// option without dashes. A name above the first [section] is for every command
// that has such an option; a name below [convert] or [server.info] is for that
// command, and has priority. Call it when words and environment are read.
//
// INVALID_ARGUMENT if the file cannot be read as a whole, and "PATH:LINE: why"
// for a line that sets nothing, such as a name that no command knows. The file
// may have 1 MiB. CANCELLED while it waits for the bytes of a pipe.
absl::Status ReadConfigFile(const std::string& path, const CancelToken* cancel,
                            CLI::App* program);

}  // namespace bvhmill::client
