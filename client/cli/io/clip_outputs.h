#pragma once

// The output files of one clip. Each is written without a name, and all are
// renamed into place when the conversion has succeeded.
//
// Step 6 of `bvhmill convert` (main.cc lists the steps), the last one: the
// engine calls Begin and Data, which append to NewFiles (io/new_file.h). Commit
// adds the report, records the outputs in the manifest of the folder
// (manifest.h), and renames the files to "BASE.EXTENSION" below the folder:
//
//   ClipOutputs outputs(directory, rules, input);
//   absl::StatusOr<bool> needed = outputs.Prepare(cancel);
//   if (!needed.ok() || !*needed) return;
//   result = engine.Convert(path, clip, options, &outputs, cancel);
//   status = result.status.ok() ? outputs.Commit(result, report)
//                               : outputs.CommitReport(report);

#include <sys/stat.h>

#include <future>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/io/new_file.h"
#include "client/cli/manifest.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// The extension of the file with the report of a clip.
inline constexpr std::string_view kReportExtension = ".report.json";

// The rules that all clips of a run share.
struct OutputRules {
  std::vector<OutputRequest> requests;
  // Write a .report.json, also for clips that fail.
  bool report = false;
  // Replace outputs that exist.
  bool force = false;
  // Skip a clip if the manifest says that its outputs are up to date. Replace
  // only outputs that the manifest names as made of the same input.
  bool resume = false;
  // The files of the clips, and other files that are read. They are never
  // replaced.
  std::set<FileId> inputs;
  std::set<FileId> read;
  // The name of the only output in the folder; or empty.
  std::string file_name;
  // If not null, the only output is printed to stdout when it is complete.
  Console* to_stdout = nullptr;
  // Records the outputs that were made; or null.
  Manifest* manifest = nullptr;
  // The result of OptionsDigest, for the manifest.
  std::string options_digest;
  // The limit of the engine. A larger input fails, so its digest is not
  // computed. 0: no limit.
  int64_t max_clip_bytes = 0;
};

// The extensions of the outputs of a clip, in the order of `requests`, then
// kReportExtension if `report`.
std::vector<std::string> ExtensionsOf(
    const std::vector<OutputRequest>& requests, bool report);

// Writes the outputs of one clip. Not thread-safe. Statuses are
// FAILED_PRECONDITION "PATH: why".
class ClipOutputs final : public OutputReceiver {
 public:
  // The outputs are made at `input.base` below `directory`. Requires that this
  // path stays below it. All references must outlive this object.
  ClipOutputs(const OutputDir& directory, const OutputRules& rules,
              const Input& input);

  // Checks the outputs that exist. Returns true to convert the clip, false to
  // skip it since its outputs are up to date. CANCELLED if `cancel`, which may
  // be null, ends the computation of a digest. Later calls use `cancel`, too.
  absl::StatusOr<bool> Prepare(const CancelToken* cancel);

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // Renames the files of all outputs that were made into place, and writes the
  // report if it is not empty. If a file cannot be renamed, the files before it
  // keep their new names. Requires that result.status is OK; single outputs may
  // have failed.
  absl::Status Commit(const ConvertResult& result, std::string_view report);
  // Drops the outputs and writes only the report. With `resume`, removes the
  // outputs of an earlier run that a good clip would replace: they do not match
  // the clip as it is now.
  absl::Status CommitReport(std::string_view report);

  // True if Prepare refused the clip because an output exists.
  bool exists() const { return exists_; }
  // Options other than -f that help the user then: ", --resume or another
  // folder".
  std::string OtherWays() const;
  // The first error of a file; OK if all files could be written.
  const absl::Status& status() const { return status_; }
  // Paths of the files that were committed, including the folder; "-" for
  // stdout.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  struct Output {
    std::string extension;
    NewFile file;
    // The shape that Begin announced.
    std::vector<int64_t> shape;
  };

  // The outputs that exist, by extension.
  using Existing = std::map<std::string, struct stat>;

  static absl::Status Refused(const std::string& path, std::string_view why);
  std::string NameOf(std::string_view extension) const;
  std::string PathOf(std::string_view name) const;
  absl::StatusOr<Existing> FindExisting() const;
  bool IsUnknown(const struct stat& output) const;
  bool IsStale(const struct stat& output) const;
  bool AreNewer(const Existing& existing) const;
  absl::Status IsDone(const Existing& existing, bool* is_done);
  absl::Status CheckOwner(const Existing& existing);
  bool MayReplace(const std::string& extension) const;
  bool IsOfEarlierRun(const std::string& extension) const;
  absl::Status RemoveEarlier(std::span<const std::string> extensions);
  void StartDigest();
  absl::Status FinishDigest();
  absl::Status Fail(std::string_view extension, const absl::Status& status);
  absl::Status AddFile(const std::string& extension);
  absl::Status AddReport(std::string_view report);
  absl::Status KeepMade(const ConvertResult& result);
  absl::Status CommitAll(bool is_done);
  absl::Status NameFiles();
  absl::Status SendToStdout();

  const OutputDir& directory_;
  const OutputRules& rules_;
  const Input& input_;
  // The input before it was read; none if it is no regular file.
  std::optional<FileState> state_;
  const CancelToken* cancel_ = nullptr;
  // The entry of the clip in the manifest; or null.
  const MadeClip* made_ = nullptr;
  // The path of the directory below `directory_`, and the name in it.
  std::string below_;
  std::string stem_;
  UniqueFd parent_;
  // After `parent_`, since their temporaries are removed through it.
  std::vector<Output> files_;
  // Extensions of outputs that are replaced since they are older than the
  // input.
  std::set<std::string> stale_;
  absl::Status status_;
  bool exists_ = false;
  std::vector<std::string> paths_;
  // Computes the digest of a large input during the conversion. Last, so that
  // the members that it uses outlive it.
  std::future<absl::Status> digest_;
};

}  // namespace bvhmill::client
