#include "client/cli/anim/anim_batch.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/batch.h"
#include "client/cli/commands/conversion.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/options/options.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

// The result of one file.
struct MadeFile {
  // The content of the new file.
  std::string bytes;
  int64_t bytes_read = 0;
  // The issues, and the reason if no file was made; whole lines.
  std::string diagnostics;
  bool is_good = false;
};

// `path` is that of the new file, for messages about it.
MadeFile MakeOne(const AnimWork& work, const Input& input,
                 const std::string& path, const Session& session) {
  MadeFile made;
  AnimFile file = ReadAnimFile(input, /*for_upload=*/false, session);
  made.bytes_read = file.bytes;
  made.diagnostics = IssueLines(file);
  if (!file.result.read) return made;
  AnimMotion& motion = file.result.motion;
  absl::Status status = work.edit ? work.edit(&motion) : absl::OkStatus();
  const std::string& at_fault = status.ok() ? path : file.path;
  if (status.ok()) {
    IssueLog log({});
    status = work.write(motion, &made.bytes, &log);
    for (const Issue& issue :
         log.Finish(/*skeleton_read=*/true, /*motion_read=*/true).issues) {
      made.diagnostics += IssueLine(path, issue) + "\n";
    }
  }
  made.is_good = status.ok();
  if (!status.ok()) {
    made.diagnostics += "bvhmill: " + FailureLine(at_fault, status) + "\n";
  }
  return made;
}

int MakeFile(const AnimBatch& batch, const AnimWork& work, const Input& input,
             const Session& session) {
  const MadeFile made = MakeOne(work, input, batch.output, session);
  session.console->PrintDiagnostics(made.diagnostics);
  if (!made.is_good) return FailedExit(session);
  return WriteAnimOutput(batch.output, batch.force, made.bytes, session);
}

absl::Status Store(const std::string& bytes, ClipOutputs* outputs) {
  const absl::StatusOr<bool> ready = outputs->Prepare(nullptr);
  if (!ready.ok()) return ready.status();
  const OutputInfo info;
  BVHMILL_RETURN_IF_ERROR(outputs->Begin({}, {&info, 1}));
  BVHMILL_RETURN_IF_ERROR(outputs->Data(0, bytes));
  return outputs->Commit({}, "");
}

Outcome MakeInFolder(const AnimWork& work, const OutputDir& folder,
                     const OutputRules& rules, const Input& input,
                     const Session& session) {
  const MadeFile made = MakeOne(work, input, input.path, session);
  Outcome outcome;
  outcome.bytes = made.bytes_read;
  outcome.diagnostics = made.diagnostics;
  ClipOutputs outputs(folder, rules, input);
  const absl::Status stored =
      made.is_good ? Store(made.bytes, &outputs) : absl::OkStatus();
  if (!stored.ok()) {
    outcome.diagnostics += "bvhmill: " + FailureLine(input.path, stored) + "\n";
  }
  const bool is_good = made.is_good && stored.ok();
  outcome.kind = is_good ? Outcome::Kind::kGood : Outcome::Kind::kFailed;
  if (IsCancelled(session.cancel) && !is_good) {
    outcome.kind = Outcome::Kind::kCancelled;
  }
  return outcome;
}

int MakeAll(const CLI::App* app, const AnimBatch& batch, const AnimWork& work,
            std::vector<Input> inputs, Session* session) {
  const auto folder = OutputDir::Open(batch.output);
  if (!folder.ok()) {
    session->console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(folder.status())) + "\n");
    return kExitUsage;
  }
  ClaimOutputs(&inputs);
  OutputRules rules;
  rules.requests = {{"", work.format}};
  rules.force = batch.force;
  rules.inputs = IdsOfFiles(inputs);
  rules.read = FilesReadBy(app);
  session->options = batch.run;
  const Totals totals =
      RunClips(*session, inputs, [&](size_t i, ClipProgress*) {
        return MakeInFolder(work, *folder, rules, inputs[i], *session);
      });
  if (!batch.run.quiet) {
    session->console->PrintDiagnostics(Summary(totals, work.verb));
  }
  return totals.exit;
}

// True if the output is a folder: for several files, and for those of a folder.
bool TakesFolder(const AnimBatch& batch, size_t inputs) {
  std::error_code error;
  return inputs != 1 || batch.input.recursive || batch.output.ends_with('/') ||
         std::filesystem::is_directory(batch.output, error);
}

// True if `path` has the extension of a clip that is not compressed.
bool NamesClip(const std::string& path) {
  return EncodingOfName(path) == Encoding::kIdentity &&
         FormatOfName(path).has_value();
}

}  // namespace

void AddAnimOutputs(CLI::App* app, const std::string& what, AnimBatch* batch) {
  const char* group = "Output";
  app->add_option("-o,--output", batch->output,
                  what +
                      "; - is stdout; for several inputs a\n"
                      "folder, in which each file keeps its name")
      ->type_name("FILE")
      ->required()
      ->group(group);
  app->add_flag("-f,--force", batch->force, "overwrite files that exist")
      ->group(group);
}

int RunAnims(const CLI::App* app, const AnimBatch& batch, const AnimWork& work,
             Session* session) {
  auto inputs = TakeInputs(batch.input, IdOfFile(batch.output), batch.run.quiet,
                           *session);
  if (!inputs.ok()) {
    return Misused(app, session, std::string(MessageOf(inputs.status())));
  }
  if (!TakesFolder(batch, inputs->size())) {
    const absl::Status safe =
        CheckAnimOutput(app, batch.output, inputs->front());
    if (!safe.ok()) return Misused(app, session, std::string(MessageOf(safe)));
    return MakeFile(batch, work, inputs->front(), *session);
  }
  if (batch.output == "-" || NamesClip(batch.output)) {
    return Misused(app, session,
                   "-o " + Printable(batch.output) +
                       " is no folder, as several .anim files need");
  }
  const std::string wrong = WhyNoFolder(batch.output);
  if (!wrong.empty()) return Misused(app, session, wrong);
  return MakeAll(app, batch, work, *std::move(inputs), session);
}

}  // namespace bvhmill::client
