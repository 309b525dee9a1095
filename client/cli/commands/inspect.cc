#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cli/anim/anim_facts.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/batch.h"
#include "client/cli/commands/commands.h"

namespace bvhmill::client {
namespace {

constexpr char kInspectExamples[] =
    "  bvhmill inspect dance.anim\n"
    "  bvhmill inspect *.anim --upload\n"
    "  bvhmill inspect -r animations -q\n"
    "  bvhmill inspect --json dance.anim > dance.json\n";

struct InspectFlags {
  InputOptions input;
  bool json = false;
  bool for_upload = false;
  bool keys = false;
  bool quiet = false;
};

bool Passes(const InspectFlags& flags, const AnimFile& file) {
  return file.status.ok() &&
         (flags.for_upload ? file.result.uploads : file.result.plays);
}

// Prints the file; false if stdout is closed.
bool ShowAnim(const InspectFlags& flags, const AnimFile& file, bool is_first,
              Console* console) {
  if (flags.json) return console->PrintData(AnimJson(file));
  if (flags.quiet && Passes(flags, file)) return true;
  if (file.status.ok()) {
    const std::string facts = AnimFacts(file, flags.keys);
    if (!console->PrintData((is_first ? "" : "\n") + facts)) return false;
  }
  console->PrintDiagnostics(IssueLines(file));
  return true;
}

Totals InspectAll(const InspectFlags& flags, const std::vector<Input>& inputs,
                  const Session& session) {
  Totals totals;
  totals.clips = static_cast<int64_t>(inputs.size());
  bool is_first = true;
  for (const Input& input : inputs) {
    if (IsCancelled(session.cancel)) break;
    const AnimFile file = ReadAnimFile(input, flags.for_upload, session);
    if (IsCancelled(session.cancel)) break;
    totals.bytes += file.bytes;
    ++(Passes(flags, file) ? totals.good : totals.failed);
    if (!ShowAnim(flags, file, is_first, session.console)) break;
    const bool is_shown =
        file.status.ok() && !(flags.quiet && Passes(flags, file));
    is_first = is_first && !is_shown;
  }
  if (totals.failed > 0) totals.exit = kExitClipFailed;
  if (session.console->data_lost()) totals.exit = kExitClipFailed;
  if (IsCancelled(session.cancel)) totals.exit = kExitInterrupted;
  return totals;
}

int RunInspect(const CLI::App* app, const InspectFlags& flags,
               Session* session) {
  const auto start = std::chrono::steady_clock::now();
  const auto inputs =
      TakeInputs(flags.input, std::nullopt, flags.quiet, *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  Totals totals = InspectAll(flags, *inputs, *session);
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  totals.seconds = time.count();
  if (totals.clips > 1 && !flags.quiet) {
    session->console->PrintDiagnostics(Summary(totals, "passed"));
  }
  return totals.exit;
}

}  // namespace

Command AddInspect(CLI::App* parent) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* app = parent->add_subcommand(
      "inspect", "print the content and the faults of .anim files");
  app->footer(kInspectExamples);
  AddAnimInputs(app, &flags->input);
  app->add_flag("--upload", flags->for_upload,
                "also fail a file that the viewer refuses to upload")
      ->group("Report");
  app->add_flag("--json", flags->json,
                "print one line of JSON per file, with all keyframes")
      ->group("Output");
  app->add_flag("--keys", flags->keys, "print all keyframes")->group("Output");
  app->add_flag("-q,--quiet", flags->quiet,
                "print only files that fail, and no totals")
      ->group("Output");
  return {app, [app, flags](Session* session) {
            return RunInspect(app, *flags, session);
          }};
}

}  // namespace bvhmill::client
