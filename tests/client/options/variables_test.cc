// The list of the variables of both programs against their options.

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string_view>

#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/settings/settings.h"
#include "client/cli/commands/commands.h"
#include "server/app/config.h"

namespace bvhmill::testing {
namespace {

void AddNames(const CLI::App& app, std::set<std::string_view>* names) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) names->insert(name);
  }
}

TEST(Variables, AreTheOptionsOfBothPrograms) {
  CLI::App server;
  server::ServerConfig config;
  server::AddFlags(&server, &config);
  CLI::App program;
  const auto commands = client::AddCommands(&program);
  // Both programs add it themselves.
  std::set<std::string_view> names = {"config"};
  AddNames(server, &names);
  for (const client::Command& command : commands) {
    AddNames(*command.app, &names);
  }
  std::set<std::string_view> known(OptionsOfVariables().begin(),
                                   OptionsOfVariables().end());
  const std::vector<std::string> more = FlagsOfOptions();
  known.insert(more.begin(), more.end());
  EXPECT_EQ(known, names)
      << "kOptions of lib/bvhmill/settings/settings.cc is another list";
}

}  // namespace
}  // namespace bvhmill::testing
