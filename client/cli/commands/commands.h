#pragma once

// The commands. Each function adds one to `parent`.

#include <CLI/CLI.hpp>
#include <vector>

#include "client/cli/options/options.h"

namespace bvhmill::client {

Command AddConvert(CLI::App* parent);
Command AddValidate(CLI::App* parent);
Command AddRepair(CLI::App* parent);
Command AddInfo(CLI::App* parent);
Command AddInspect(CLI::App* parent);
Command AddExplain(CLI::App* parent);
// `anim edit` and `anim to-bvh`.
CLI::App* AddAnim(CLI::App* parent);
Command AddAnimEdit(CLI::App* anim);
Command AddAnimToBvh(CLI::App* anim);
// `job submit`, `job list` and so on.
std::vector<Command> AddJob(CLI::App* parent);
Command AddJobSubmit(CLI::App* job);
Command AddJobResults(CLI::App* job);
// `server info`.
Command AddServerInfo(CLI::App* parent);

}  // namespace bvhmill::client
