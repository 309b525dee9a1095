#pragma once

// How -h looks: what the command does, examples, then the options.

#include <CLI/CLI.hpp>
#include <string>

namespace bvhmill::client {

// An App's footer holds its examples, one a line; they are shown first. At the
// end stands what holds for every command.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  // The placeholder only: defaults are in the text, where they matter.
  std::string make_option_opts(const CLI::Option* option) const override;
};

// "bvhmill: WHY" and where help is, for wrong command lines.
std::string UsageFailure(const CLI::App* app, const std::string& why);

}  // namespace bvhmill::client
