#include "client/cli/options/help.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/settings/settings.h"
#include "bvhmill/settings/small_file.h"

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
  std::string help = CLI::detail::find_and_replace(
      CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  // Versions of CLI11 end it with different numbers of lines.
  help.erase(help.find_last_not_of('\n') + 1);
  help += '\n';
  if (HasOptionsOfItsOwn(app)) help.append("\n").append(kSettings);
  return help;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  std::string out = FullName(app) + ": " + app->get_description() + "\n\n";
  if (!app->get_footer().empty()) {
    out += "Examples:\n" + app->get_footer() + "\n";
  }
  return out;
}

std::string HelpFormatter::make_footer(const CLI::App* /*app*/) const {
  return "";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0 || option->get_positional()) return "";
  return " " + option->get_type_name();
}

std::string UsageFailure(const CLI::App* app, const std::string& why) {
  return "bvhmill: " + why + "\n" + FullName(app) + " -h shows how\n";
}

std::string ShortName(const CLI::Option* option) {
  const std::vector<std::string>& letters = option->get_snames();
  return letters.empty() ? option->get_name() : "-" + letters.front();
}

std::string Missing(const CLI::App* app, const std::string& name) {
  const std::string examples = app->get_footer();
  const size_t begin = examples.find_first_not_of(' ');
  const CLI::Option* const option = app->get_option_no_throw(name);
  return (option == nullptr ? name : ShortName(option)) + " is missing" +
         (begin == examples.npos
              ? ""
              : ", as in: " +
                    examples.substr(begin, examples.find('\n') - begin));
}

namespace {

// A command with its name in a file, such as "server.info"; the program has
// the name "".
struct Section {
  std::string name;
  CLI::App* app = nullptr;
};

// `app`, and all commands below it.
void AddSections(const std::string& name, CLI::App* app,
                 std::vector<Section>* sections) {
  sections->push_back({name, app});
  for (CLI::App* command : app->get_subcommands({})) {
    AddSections(name + (name.empty() ? "" : ".") + command->get_name(), command,
                sections);
  }
}

const Section* FindSection(const std::vector<Section>& sections,
                           const std::string& name) {
  const auto found = std::find_if(
      sections.begin(), sections.end(),
      [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

// The innermost command that was chosen; the program if none was.
const Section& ChosenSection(const std::vector<Section>& sections) {
  const auto is_chosen = [](const Section& section) {
    return section.app->parsed() && section.app->get_subcommands().empty();
  };
  const auto found = std::find_if(sections.begin(), sections.end(), is_chosen);
  return found == sections.end() ? sections.front() : *found;
}

// The names of the options that a file may set for the commands of `sections`.
std::vector<std::string_view> NamesOf(const std::vector<Section>& sections) {
  std::vector<std::string_view> names;
  for (const Section& section : sections) {
    for (const CLI::Option* option : section.app->get_options()) {
      if (!option->get_configurable()) continue;
      const std::vector<std::string>& more = option->get_lnames();
      names.insert(names.end(), more.begin(), more.end());
    }
  }
  return names;
}

// The status of a line that sets nothing for any command.
absl::Status CheckSetting(const std::string& path, const Setting& setting,
                          const std::vector<Section>& sections) {
  const Section* section = FindSection(sections, setting.section);
  if (setting.name.empty()) {
    if (section != nullptr) return absl::OkStatus();
    std::vector<std::string_view> commands;
    for (const Section& known : sections) commands.push_back(known.name);
    return NoSuchSetting(path, setting, "command", commands);
  }
  const bool is_of_one = section != nullptr && !setting.section.empty();
  const std::vector<std::string_view> names =
      is_of_one ? NamesOf({*section}) : NamesOf(sections);
  const bool is_known =
      section != nullptr &&
      std::find(names.begin(), names.end(), setting.name) != names.end();
  return is_known ? absl::OkStatus()
                  : NoSuchSetting(path, setting, "setting", names);
}

void GiveValues(const Setting& setting, CLI::App* command) {
  CLI::Option* option = command->get_option_no_throw("--" + setting.name);
  if (option == nullptr || !option->empty()) return;
  const bool is_flag = option->get_expected_min() == 0;
  for (const std::string& value : setting.values) {
    option->add_result(is_flag ? option->get_flag_value(setting.name, value)
                               : value);
  }
}

}  // namespace

void ReadEnvironment(CLI::App* command) {
  command->preparse_callback([command](size_t /*words*/) {
    for (CLI::Option* option : command->get_options()) {
      const auto& names = option->get_lnames();
      if (names.empty() || option == command->get_help_ptr()) continue;
      option->envname(VariableOf(names.front()));
    }
  });
}

absl::Status ReadConfigFile(const std::string& path, const CancelToken* cancel,
                            CLI::App* program) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const auto text = ReadSmallFile(path, kMaxBytes, cancel);
  if (!text.ok()) return text.status();
  std::vector<Section> sections;
  AddSections("", program, &sections);
  const auto settings = ParseSettings(path, *text, NamesOf(sections));
  if (!settings.ok()) return settings.status();
  for (const Setting& setting : *settings) {
    BVHMILL_RETURN_IF_ERROR(CheckSetting(path, setting, sections));
  }
  const Section& chosen = ChosenSection(sections);
  // The first value that an option gets stays.
  for (const std::string& section : {chosen.name, std::string()}) {
    for (const Setting& setting : *settings) {
      const bool is_meant = setting.section == section && !setting.name.empty();
      if (is_meant) GiveValues(setting, chosen.app);
    }
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::client
