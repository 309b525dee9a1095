#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/anim_facts.h"
#include "client/anim_file.h"
#include "client/anim_json.h"
#include "client/commands/commands.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill inspect dance.anim\n"
    "  bvhmill inspect *.anim --upload\n"
    "  bvhmill inspect --json dance.anim > dance.json\n";

struct Flags {
  std::vector<std::string> paths;
  bool json = false;
  bool for_upload = false;
  bool keys = false;
};

bool Passes(const Flags& flags, const AnimFile& file) {
  return file.status.ok() &&
         (flags.for_upload ? file.result.uploads : file.result.plays);
}

int Run(const Flags& flags, Session* session) {
  ExitCode exit = kExitGood;
  std::string_view gap;
  for (const std::string& path : flags.paths) {
    if (IsCancelled(session->cancel)) return kExitInterrupted;
    const AnimFile file = ReadAnimFile(path, flags.for_upload, *session);
    if (!Passes(flags, file)) exit = kExitClipFailed;
    if (flags.json) {
      if (!session->console->Data(AnimJson(file))) break;
      continue;
    }
    if (file.status.ok()) {
      const std::string facts = AnimFacts(file, flags.keys);
      if (!session->console->Data(std::string(gap) + facts)) break;
      gap = "\n";
    }
    session->console->Talk(IssueLines(file));
  }
  return session->console->data_lost() ? kExitClipFailed : exit;
}

}  // namespace

Command AddInspect(CLI::App* parent) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* app = parent->add_subcommand(
      "inspect", "show what is in .anim files, and what is wrong");
  app->footer(kExamples);
  app->add_option("INPUT", flags->paths, ".anim files; - is stdin")
      ->type_name("")
      ->required()
      ->group("Input");
  app->add_flag("--upload", flags->for_upload,
                "fail what the viewer plays, but refuses as an upload")
      ->group("Report");
  app->add_flag("--json", flags->json,
                "print a JSON object for each file, with every key")
      ->group("Output");
  app->add_flag("--keys", flags->keys, "print every key")->group("Output");
  return {app, [flags](Session* session) { return Run(*flags, session); }};
}

}  // namespace bvhmill::client
