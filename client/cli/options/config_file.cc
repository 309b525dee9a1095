#include "client/cli/options/config_file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "bvhmill/base/nearest.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

using Path = std::vector<std::string>;

bool IsSet(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

const CLI::Option* FindOption(const CLI::App* app, const std::string& name) {
  return app->get_option_no_throw("--" + name);
}

// Names of the options of `app` and of all commands below it.
std::vector<std::string> AllLongNames(const CLI::App* app) {
  std::vector<std::string> names = LongNames(app);
  for (const CLI::App* command : app->get_subcommands({})) {
    const std::vector<std::string> more = AllLongNames(command);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

// The command at `path`, or null.
const CLI::App* Find(const CLI::App* app, const Path& path) {
  for (const std::string& name : path) {
    const auto commands = app->get_subcommands(
        [&](const CLI::App* command) { return command->get_name() == name; });
    if (commands.empty()) return nullptr;
    app = commands.front();
  }
  return app;
}

Path ChosenCommand(const CLI::App* app) {
  Path path;
  for (auto chosen = app->get_subcommands(); !chosen.empty();
       chosen = chosen.front()->get_subcommands()) {
    path.push_back(chosen.front()->get_name());
  }
  return path;
}

void CheckKnown(const CLI::App* program, const CLI::ConfigItem& item) {
  const CLI::App* section = Find(program, item.parents);
  std::vector<std::string> names;
  if (section != nullptr) {
    names = item.parents.empty() ? AllLongNames(program) : LongNames(section);
  }
  if (std::find(names.begin(), names.end(), item.name) != names.end()) return;
  throw CLI::ConfigError("--config: no option is called " + item.fullname() +
                         DidYouMean(item.name, {names.begin(), names.end()}));
}

// Stands for a '#' within quotes, where it begins no comment: CLI11 would end
// the line there. No name of a file or joint has it.
constexpr char kQuotedHash = '\x01';

// The lines of `input` with kQuotedHash.
std::string WithQuotedHashes(std::istream& input) {
  std::string text(std::istreambuf_iterator<char>(input), {});
  char quote = '\0';
  for (char& c : text) {
    if (c == '\n') quote = '\0';
    if (quote == '\0' && c == '#') quote = '#';
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote && quote != '#') {
      quote = '\0';
    } else if (c == '#' && quote != '#') {
      c = kQuotedHash;
    }
  }
  return text;
}

}  // namespace

std::string EnvironmentName(const std::string& option) {
  std::string name = "BVHMILL_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

void ReadEnvironment(CLI::App* command) {
  command->preparse_callback([command](size_t /*words*/) {
    for (CLI::Option* option : command->get_options()) {
      const auto& names = option->get_lnames();
      if (names.empty() || option == command->get_help_ptr()) continue;
      option->envname(EnvironmentName(names.front()));
    }
  });
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(
    std::istream& input) const {
  const Path chosen = ChosenCommand(&program_);
  const CLI::App* command = Find(&program_, chosen);
  std::vector<CLI::ConfigItem> items;
  std::istringstream lines(WithQuotedHashes(input));
  for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(lines)) {
    for (std::string& value : item.inputs) {
      std::replace(value.begin(), value.end(), kQuotedHash, '#');
    }
    // Begin and end of a section.
    if (item.name == "++" || item.name == "--") continue;
    CheckKnown(&program_, item);
    const bool is_meant = item.parents.empty() || item.parents == chosen;
    if (!is_meant || FindOption(command, item.name) == nullptr ||
        IsSet(EnvironmentName(item.name))) {
      continue;
    }
    item.parents = chosen;
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace bvhmill::client
