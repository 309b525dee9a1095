#pragma once

// Reads, checks and writes .anim files in this process, for the commands whose
// input is an .anim: `inspect`, `anim edit`, `anim to-bvh`.
//
//   const AnimFile file = ReadAnimFile(input, /*for_upload=*/false, *session);
//   session->console->PrintDiagnostics(IssueLines(file));
//   if (!file.result.read) return FailedExit(*session);
//   const std::string bytes = ...;
//   return WriteAnimOutput(path, /*force=*/false, bytes, *session);

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/report/report.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// An .anim file that was read, or the reason why it was not.
struct AnimFile {
  // The path as the user gave it; "stdin.anim" for stdin.
  std::string path;
  // Size of the file as it is stored, compressed or not.
  int64_t bytes = 0;
  // Why the file could not be read. The members below are set only if it is OK.
  absl::Status status;
  AnimReadResult result;
  Report report;
};

// Adds INPUT and --recursive, and sets input->from to .anim.
void AddAnimInputs(CLI::App* app, InputOptions* input);

// The input for `path`; "-" is stdin.
Input AnimInput(const std::string& path);

// Reads, decompresses and checks one file. Blocks until it is read or the
// session is cancelled. All failures are in the result. With `for_upload`,
// faults that only make an upload fail are errors.
AnimFile ReadAnimFile(const Input& input, bool for_upload,
                      const Session& session);

// A line "PATH: byte 12: error: ..." for each issue, or a line with the reason
// why the file could not be read. Each line ends with a newline. Empty if the
// session was cancelled before the file was read.
std::string IssueLines(const AnimFile& file);

// Checks that a file `output` replaces neither `input` nor another file that
// `app` reads, also with --force. Call it before anything is written.
// INVALID_ARGUMENT "-o: PATH: why".
absl::Status CheckAnimOutput(const CLI::App* app, const std::string& output,
                             const Input& input);

// The exit status after a failure: kExitInterrupted if the session is
// cancelled, else kExitClipFailed.
int FailedExit(const Session& session);

// Writes `bytes` to the file `path`; "-" is stdout. Replaces a file that exists
// only if `force`. If this fails, no file is left and the reason is printed.
// Returns the exit status.
int WriteAnimOutput(const std::string& path, bool force, std::string_view bytes,
                    const Session& session);

}  // namespace bvhmill::client
