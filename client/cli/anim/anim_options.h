#pragma once

// Options about .anim files.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bvhmill/encode/output.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// Settings as they are typed, where that is not yet how AnimSettings has them.
struct SettingsFlags {
  AnimSettings settings;
  std::string loop;
  std::vector<std::string> joint_priorities;
};

// Adds --priority, --loop and so on, behind `prefix` ("--" or "--anim-").
// `flags` must live until the command line is parsed.
void AddSettingsOptions(CLI::App* app, const std::string& prefix,
                        const std::string& group, SettingsFlags* flags);

// Completes flags->settings, behind the parsing. Returns what cannot be meant;
// empty = all is well.
std::string ReadSettingsFlags(const CLI::App* app, const std::string& prefix,
                              SettingsFlags* flags);

struct AnimFlags {
  // All but its settings.
  AnimFormat format;
  SettingsFlags settings;
  // The name of a joint map, or a file of one; empty = not said.
  std::string map;
  // An .anim whose constraints are taken; or empty.
  std::string constraints;
};

// The same of what can be chosen about --emit anim. Reads the files of
// --anim-map and --anim-constraints.
void AddAnimOptions(CLI::App* app, AnimFlags* flags);
std::string ReadAnimFlags(const CLI::App* app, const Session& session,
                          AnimFlags* flags);

}  // namespace bvhmill::client
