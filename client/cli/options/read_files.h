#pragma once

// The files that options name and that a command reads.

#include <CLI/CLI.hpp>
#include <set>

#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// The ids of the files that the options of `app` and of the commands above it
// name for reading and that exist: lists, settings, certificates, tokens, maps,
// baselines, expectations. Not the clips. No output may replace one of them.
// Call after parsing.
std::set<FileId> FilesReadBy(const CLI::App* app);

}  // namespace bvhmill::client
