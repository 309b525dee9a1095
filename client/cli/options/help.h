#pragma once

// The text of -h, and the sources of options besides the command line: the
// environment and the file of --config. The command line has priority over the
// environment, and the environment over the file.
//
//   program.formatter(std::make_shared<HelpFormatter>());
//   for (const Command& command : commands) ReadEnvironment(command.app);
//   program.parse(words);
//   status = ReadConfigFile(path, cancel, &program);

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// The layout of -h: description, examples, options, and a text about settings.
// The footer of an App holds its examples, one per line.
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

// "-o" or "--emit": the shortest name of the option.
std::string ShortName(const CLI::Option* option);

// "-o is missing, as in: bvhmill convert take.bvh -o take.npz", with the first
// example of `app`. `name` is any name of the option.
std::string Missing(const CLI::App* app, const std::string& name);

// Makes every option of `command` readable from the environment, if the command
// line names that command.
void ReadEnvironment(CLI::App* command);

// Sets the options of the chosen command that have no value yet to those of the
// file at `path`, whose lines bvhmill/settings/settings.h describes. A name is
// that of an option without dashes. A name above the first [section] is for
// every command that has such an option; a name below [convert] or
// [server.info] is for that command, and has priority. Call it after the
// command line and the environment are read.
//
// INVALID_ARGUMENT if the file cannot be read as a whole, and "PATH:LINE: why"
// for a line that sets nothing, such as a name that no command knows. The file
// has at most 1 MiB. CANCELLED while it waits for the bytes of a pipe.
absl::Status ReadConfigFile(const std::string& path, const CancelToken* cancel,
                            CLI::App* program);

}  // namespace bvhmill::client
