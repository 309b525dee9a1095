#include "client/cli/commands/commands.h"

namespace bvhmill::client {

std::vector<Command> AddCommands(CLI::App* program) {
  const Command convert = AddConvert(program);
  const Command validate = AddValidate(program);
  const Command repair = AddRepair(program);
  const Command info = AddInfo(program);
  const Command view = AddView(program);
  const Command inspect = AddInspect(program);
  const Command explain = AddExplain(program);
  CLI::App* anim = AddAnim(program);
  std::vector<Command> commands = {convert,
                                   validate,
                                   repair,
                                   info,
                                   view,
                                   inspect,
                                   explain,
                                   AddAnimEdit(anim),
                                   AddAnimToBvh(anim),
                                   AddServerInfo(program)};
  for (const Command& command : AddJob(program)) commands.push_back(command);
  return commands;
}

}  // namespace bvhmill::client
