#include "client/cli/anim/anim_batch.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/anim/format/anim_file.h"
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

// Fails for a motion that the viewer refuses, and appends the reasons to
// `diagnostics`, one line each.
absl::Status Check(const AnimMotion& motion, const std::string& path,
                   std::string* diagnostics) {
  IssueLog log({});
  AnimReadResult result;
  BVHMILL_RETURN_IF_ERROR(CheckAnim(motion, &result, &log));
  if (result.plays) return absl::OkStatus();
  for (const Issue& issue :
       log.Finish(/*skeleton_read=*/true, /*motion_read=*/true).issues) {
    *diagnostics += IssueLine(path, issue) + "\n";
  }
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "the viewer would refuse it");
}

// The result of one file.
struct Edited {
  // The new .anim.
  std::string bytes;
  int64_t bytes_read = 0;
  // The issues, and the reason if no .anim was made; whole lines.
  std::string diagnostics;
  bool is_good = false;
};

// `path` is that of the new file, for messages about it.
Edited EditOne(const AnimEdit& edit, const Input& input,
               const std::string& path, const Session& session) {
  Edited edited;
  AnimFile file = ReadAnimFile(input, /*for_upload=*/false, session);
  edited.bytes_read = file.bytes;
  edited.diagnostics = IssueLines(file);
  if (!file.result.read) return edited;
  AnimMotion& motion = file.result.motion;
  StringSink sink(&edited.bytes);
  absl::Status status = edit(&motion);
  const std::string& at_fault = status.ok() ? path : file.path;
  if (status.ok()) status = Check(motion, path, &edited.diagnostics);
  if (status.ok()) status = WriteAnim(motion, &sink);
  edited.is_good = status.ok();
  if (!status.ok()) {
    edited.diagnostics += "bvhmill: " + FailureLine(at_fault, status) + "\n";
  }
  return edited;
}

int EditIntoFile(const AnimBatch& batch, const AnimEdit& edit,
                 const Input& input, const Session& session) {
  const Edited edited = EditOne(edit, input, batch.output, session);
  session.console->PrintDiagnostics(edited.diagnostics);
  if (!edited.is_good) return FailedExit(session);
  const AnimPaths paths = {input.path, batch.output, batch.force};
  return WriteAnimOutput(paths, edited.bytes, session);
}

absl::Status Store(const std::string& bytes, ClipOutputs* outputs) {
  const absl::StatusOr<bool> ready = outputs->Prepare(nullptr);
  if (!ready.ok()) return ready.status();
  const OutputInfo info;
  BVHMILL_RETURN_IF_ERROR(outputs->Begin({}, {&info, 1}));
  BVHMILL_RETURN_IF_ERROR(outputs->Data(0, bytes));
  return outputs->Commit({}, "");
}

Outcome EditIntoFolder(const AnimEdit& edit, const OutputDir& folder,
                       const OutputRules& rules, const Input& input,
                       const Session& session) {
  const Edited edited = EditOne(edit, input, input.path, session);
  Outcome outcome;
  outcome.bytes = edited.bytes_read;
  outcome.diagnostics = edited.diagnostics;
  ClipOutputs outputs(folder, rules, input);
  const absl::Status stored =
      edited.is_good ? Store(edited.bytes, &outputs) : absl::OkStatus();
  if (!stored.ok()) {
    outcome.diagnostics += "bvhmill: " + FailureLine(input.path, stored) + "\n";
  }
  const bool is_good = edited.is_good && stored.ok();
  outcome.kind = is_good ? Outcome::Kind::kGood : Outcome::Kind::kFailed;
  if (IsCancelled(session.cancel) && !is_good) {
    outcome.kind = Outcome::Kind::kCancelled;
  }
  return outcome;
}

int EditAll(const CLI::App* app, const AnimBatch& batch, const AnimEdit& edit,
            std::vector<Input> inputs, Session* session) {
  const auto folder = OutputDir::Open(batch.output);
  if (!folder.ok()) {
    session->console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(folder.status())) + "\n");
    return kExitUsage;
  }
  ClaimOutputs(&inputs);
  OutputRules rules;
  rules.requests = {{"", AnimFormat()}};
  rules.force = batch.force;
  rules.inputs = IdsOfFiles(inputs);
  rules.read = FilesReadBy(app);
  session->options = batch.run;
  const Totals totals =
      RunClips(*session, inputs, [&](size_t i, ClipProgress*) {
        return EditIntoFolder(edit, *folder, rules, inputs[i], *session);
      });
  if (!batch.run.quiet)
    session->console->PrintDiagnostics(Summary(totals, "edited"));
  return totals.exit;
}

// True if the output is a folder: for several files, and for those of a folder.
bool TakesFolder(const AnimBatch& batch, size_t inputs) {
  std::error_code error;
  return inputs != 1 || batch.input.recursive || batch.output.ends_with('/') ||
         std::filesystem::is_directory(batch.output, error);
}

// True if `path` has the extension of an .anim that is not compressed.
bool NamesAnim(const std::string& path) {
  return EncodingOfName(path) == Encoding::kIdentity &&
         FormatOfName(path) == SourceFormat::kAnim;
}

}  // namespace

int EditAnims(const CLI::App* app, const AnimBatch& batch, const AnimEdit& edit,
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
    return EditIntoFile(batch, edit, inputs->front(), *session);
  }
  if (batch.output == "-" || NamesAnim(batch.output)) {
    return Misused(app, session,
                   "-o " + Printable(batch.output) +
                       " is no folder, as several .anim files need");
  }
  const std::string wrong = WhyNoFolder(batch.output);
  if (!wrong.empty()) return Misused(app, session, wrong);
  return EditAll(app, batch, edit, *std::move(inputs), session);
}

}  // namespace bvhmill::client
