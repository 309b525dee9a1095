#include "client/cli/options/help.h"

#include <utility>

namespace bvhmill::client {
namespace {

constexpr size_t kColumn = 28;

constexpr char kSettings[] =
    "An option can also be set by an environment variable (BVHMILL_SERVER\n"
    "for --server) or in the file of --config FILE (server = HOST:PORT).\n"
    "The command line has priority over the environment, and the environment\n"
    "over the file.\n";

// "bvhmill convert", as it is typed.
std::string FullName(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? app->get_name()
                           : FullName(parent) + " " + app->get_name();
}

bool HasOptionsOfItsOwn(const CLI::App* app) {
  // More than --help.
  return app->get_parent() != nullptr && app->get_options().size() > 1;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kColumn);
  label("OPTIONS", "options");
  label("SUBCOMMAND", "COMMAND");
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  const std::string help =
      CLI::Formatter::make_help(app, std::move(name), mode);
  return CLI::detail::find_and_replace(help, "\n\n\n", "\n\n");
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string out = FullName(app) + ": " + app->get_description() + "\n\n";
  if (!app->get_footer().empty()) {
    out += "Examples:\n" + app->get_footer() + "\n";
  }
  return out;
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return HasOptionsOfItsOwn(app) ? kSettings : "";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0 || option->get_positional()) return "";
  return " " + option->get_type_name();
}

std::string UsageFailure(const CLI::App* app, const std::string& why) {
  return "bvhmill: " + why + "\n" + FullName(app) + " -h shows how\n";
}

}  // namespace bvhmill::client
