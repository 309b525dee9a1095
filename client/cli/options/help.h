#pragma once

// The layout of -h: description, examples, options.

#include <CLI/CLI.hpp>
#include <string>

namespace bvhmill::client {

// The footer of an App holds its examples, one per line; they are printed
// before the options. The text for all commands is printed at the end.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  // Prints only the placeholder. The help text names the default.
  std::string make_option_opts(const CLI::Option* option) const override;
};

// "bvhmill: WHY" and the command that prints help, for a wrong command line.
std::string UsageFailure(const CLI::App* app, const std::string& why);

}  // namespace bvhmill::client
