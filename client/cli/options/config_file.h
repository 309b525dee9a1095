#pragma once

// Options from --config FILE and from the environment, behind those of the
// command line.

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

namespace bvhmill::client {

// "BVHMILL_TLS_CA" for "tls-ca".
std::string EnvironmentName(const std::string& option);

// Lets every option of `command` be read from the environment, once that
// command is chosen.
void ReadEnvironment(CLI::App* command);

// Lines "name = value", TOML in little: names are those of options without
// dashes, values with commas or blanks stand in quotes, lists in [a, b]; # ends
// a line. A name above the first [section] is for every command that has such
// an option, in [convert] or [server.info] for that one. What no command knows
// is an error, so that a typing error does not go unseen.
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
