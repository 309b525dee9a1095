#include "client/cli/anim/anim_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "client/cli/io/new_file.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/options/options.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kStdStream = "-";

absl::Status Failed(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

// Replaces a file that exists only if `force`. FAILED_PRECONDITION "why".
absl::Status WriteNewFile(const std::string& path, std::string_view bytes,
                          bool force, Console* console) {
  if (path == kStdStream) {
    return console->PrintData(bytes) ? absl::OkStatus()
                                     : Failed("stdout is closed");
  }
  auto file = ChosenFile::Create(path, force);
  BVHMILL_RETURN_IF_ERROR(file.status());
  BVHMILL_RETURN_IF_ERROR(file->Append(bytes));
  return file->Close();
}

}  // namespace

void AddAnimInputs(CLI::App* app, InputOptions* input) {
  input->from = SourceFormat::kAnim;
  app->add_option("INPUT", input->paths,
                  ".anim files; folders with -r; - is stdin")
      ->type_name("")
      ->required()
      ->group("Input");
  app->add_flag("-r,--recursive", input->recursive,
                "read all *.anim in folders and their subfolders,\n"
                "sorted by path")
      ->group("Input");
}

Input AnimInput(const std::string& path) {
  Input input;
  input.is_stdin = path == kStdStream;
  input.path = input.is_stdin ? "stdin.anim" : path;
  return input;
}

namespace {

bool IsBvh(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("HIERARCHY");
}

}  // namespace

AnimFile ReadAnimFile(const Input& input, bool for_upload,
                      const Session& session) {
  AnimFile file;
  file.path = input.path;
  file.status = input.status;
  if (!file.status.ok()) return file;
  ClipText bytes;
  AnimReadOptions options;
  file.status =
      ReadClip(input, options.limits.max_clip_bytes, session.cancel, &bytes);
  if (!file.status.ok()) return file;
  file.bytes = static_cast<int64_t>(bytes.size());
  if (const Encoding encoding = EncodingOf(input, ViewOf(bytes));
      encoding != Encoding::kIdentity) {
    file.status = UnpackClip(encoding, options.limits.max_clip_bytes,
                             session.cancel, &bytes);
    if (!file.status.ok()) return file;
  }
  if (IsBvh(ViewOf(bytes))) {
    file.status = MakeStatus(
        absl::StatusCode::kNotFound,
        "is a BVH file, not an .anim; 'bvhmill info' prints its content");
    return file;
  }
  ReportOptions report;
  report.strict = for_upload;
  IssueLog log(report);
  file.result = ReadAnim(ViewOf(bytes), options, &log);
  file.report = log.Finish(file.result.read, file.result.read);
  return file;
}

std::string IssueLines(const AnimFile& file) {
  if (absl::IsCancelled(file.status)) return {};
  if (!file.status.ok()) {
    return "bvhmill: " + FailureLine(file.path, file.status) + "\n";
  }
  std::string out;
  for (const Issue& issue : file.report.issues) {
    out += IssueLine(file.path, issue) + "\n";
  }
  return out;
}

absl::Status CheckAnimOutput(const CLI::App* app, const std::string& output,
                             const Input& input) {
  const SideFile file = {"-o", output};
  return CheckSideFiles({&file, 1}, FilesReadBy(app), {input});
}

int FailedExit(const Session& session) {
  return IsCancelled(session.cancel) ? kExitInterrupted : kExitClipFailed;
}

int WriteAnimOutput(const std::string& path, bool force, std::string_view bytes,
                    const Session& session) {
  const absl::Status status = WriteNewFile(path, bytes, force, session.console);
  if (status.ok()) return kExitGood;
  session.console->PrintDiagnostics("bvhmill: " + FailureLine(path, status) +
                                    "\n");
  return kExitClipFailed;
}

}  // namespace bvhmill::client
