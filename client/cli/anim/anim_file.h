#pragma once

// .anim files, read and written here: no server is needed.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_reader.h"
#include "bvhmill/report/report.h"
#include "client/cli/io/inputs.h"
#include "client/cli/session.h"

namespace bvhmill::client {

struct AnimFile {
  // As given; "stdin.anim" for stdin.
  std::string path;
  int64_t bytes = 0;
  // That it could not be read from the disk; all else is about what it holds.
  absl::Status status;
  AnimReadResult result;
  Report report;
};

// Adds INPUT and --recursive for commands that take several .anim files.
void AddAnimInputs(CLI::App* app, InputOptions* input);

// `for_upload` counts as errors what the viewer refuses only then.
AnimFile ReadAnimFile(const Input& input, bool for_upload,
                      const Session& session);
// Reads `path`; "-" is stdin.
AnimFile ReadAnimFile(const std::string& path, bool for_upload,
                      const Session& session);

// "PATH: byte 12: error: ..." for each issue, or why the file could not be
// read; every line has its end.
std::string IssueLines(const AnimFile& file);

// Writes `bytes` to `path`, as a whole or not at all; "-" is stdout. A file
// that exists is replaced only if `force`. FAILED_PRECONDITION "why".
absl::Status WriteNewFile(const std::string& path, std::string_view bytes,
                          bool force, Console* console);

// The BVH text of an .anim that is held in memory, without a frame of
// reference. INVALID_ARGUMENT if it is none; *report says why.
absl::Status AnimAsBvh(std::string_view bytes, std::string* text,
                       Report* report);

// What an .anim command takes and gives.
struct AnimJob {
  std::string input;
  std::string output;
  bool force = false;
};

// Adds INPUT, --output and --force.
void AddJobOptions(CLI::App* app, const std::string& makes, AnimJob* job);

// Reads job.input, and says what is wrong with it; none if its bytes make no
// sense.
std::optional<AnimMotion> ReadJobInput(const AnimJob& job,
                                       const Session& session);

// Says on the console why there is no output.
int FailJob(const AnimJob& job, const absl::Status& status,
            const Session& session);

// Writes job.output; returns the status to exit with.
int WriteJobOutput(const AnimJob& job, std::string_view bytes,
                   const Session& session);

}  // namespace bvhmill::client
