#pragma once

// Options from --config FILE and from the environment. The command line has
// priority over both.

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

namespace bvhmill::client {

// "BVHMILL_TLS_CA" for "tls-ca".
std::string EnvironmentName(const std::string& option);

// Makes every option of `command` readable from the environment, if that
// command is chosen.
void ReadEnvironment(CLI::App* command);

// Lines "name = value", a subset of TOML. A name is that of an option without
// dashes. Values with commas or blanks are in quotes, lists are [a, b], and #
// begins a comment. A name above the first [section] is for every command that
// has such an option; a name below [convert] or [server.info] is for that
// command. A name that no command knows is an error, so that typing errors are
// found.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  // `program` is the App of the whole command line.
  explicit ConfigFile(const CLI::App* program) : program_(*program) {}

  // The items for the chosen command that the environment does not set.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& program_;
};

}  // namespace bvhmill::client
