#pragma once

// The commands of bvhmill. Each function adds a command, or a group of
// commands, to its argument, which owns it. Keep each Command until the command
// line is parsed: it owns the values of its options.

#include <CLI/CLI.hpp>
#include <vector>

#include "client/cli/options/options.h"

namespace bvhmill::client {

// Adds all commands of the program.
std::vector<Command> AddCommands(CLI::App* program);

Command AddConvert(CLI::App* parent);
Command AddValidate(CLI::App* parent);
Command AddRepair(CLI::App* parent);
Command AddInfo(CLI::App* parent);
Command AddInspect(CLI::App* parent);
Command AddView(CLI::App* parent);
Command AddExplain(CLI::App* parent);
// Adds the group `anim` without commands. The next two functions add them.
CLI::App* AddAnim(CLI::App* parent);
Command AddAnimEdit(CLI::App* anim);
Command AddAnimToBvh(CLI::App* anim);
// Adds the group `job` with all its commands, also those of the next two
// functions.
std::vector<Command> AddJob(CLI::App* parent);
Command AddJobSubmit(CLI::App* job);
Command AddJobResults(CLI::App* job);
// Adds the group `server` with the command `server info`.
Command AddServerInfo(CLI::App* parent);

}  // namespace bvhmill::client
