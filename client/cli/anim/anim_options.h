#pragma once

// Options about .anim files.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bvhmill/encode/output.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// Settings from the command line. `loop` and `joint_priorities` are words that
// ReadSettingsFlags turns into members of `settings`.
struct SettingsFlags {
  AnimSettings settings;
  std::string loop;
  std::vector<std::string> joint_priorities;
};

// Adds --priority, --loop and so on. `prefix` is "--" for the settings of a
// file that is edited, "--anim-" for those of a new one. `flags` must live
// until the command line is parsed.
void AddSettingsOptions(CLI::App* app, const std::string& prefix,
                        const std::string& group, SettingsFlags* flags);

// Completes flags->settings after the command line is parsed. Returns what is
// wrong; empty if nothing is.
std::string ReadSettingsFlags(const CLI::App* app, const std::string& prefix,
                              SettingsFlags* flags);

struct AnimFlags {
  // Complete except for its settings.
  AnimFormat format;
  SettingsFlags settings;
  // The name or the file of a joint map; empty if none is chosen.
  std::string map;
  // An .anim file whose constraints are copied; or empty.
  std::string constraints;
};

// The same two functions for the options of --emit anim. ReadAnimFlags reads
// the files of --anim-map and --anim-constraints.
void AddAnimOptions(CLI::App* app, AnimFlags* flags);
std::string ReadAnimFlags(const CLI::App* app, const Session& session,
                          AnimFlags* flags);

}  // namespace bvhmill::client
