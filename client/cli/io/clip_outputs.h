#pragma once

// The output files of one clip. They are renamed into place when all of them
// are complete.

#include <sys/stat.h>

#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/io/file_state.h"
#include "client/cli/io/inputs.h"
#include "client/cli/io/new_file.h"
#include "client/cli/io/output_dir.h"
#include "client/cli/manifest.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// The extension of the file with the report of a clip.
inline constexpr std::string_view kReportExtension = ".report.json";

// The same for every clip of a run.
struct OutputRules {
  std::vector<OutputRequest> requests;
  // Write a .report.json, also for clips that fail.
  bool report = false;
  // Replace outputs that exist.
  bool force = false;
  // Skip a clip if the manifest says that its outputs are up to date. Replace
  // only outputs that the manifest names.
  bool resume = false;
  // These files are never replaced: the clips, and others that are read.
  std::set<FileId> inputs;
  std::set<FileId> read;
  // The name of the only output in the folder; or empty.
  std::string file_name;
  // If not null, the only output is written to its stdout when it is complete.
  Console* to_stdout = nullptr;
  // Records what was made; or null.
  Manifest* manifest = nullptr;
  // For the manifest.
  std::string options_digest;
  // A larger input is refused, so its digest is not computed; 0: no limit.
  int64_t max_clip_bytes = 0;
};

// The extensions of the files that a clip may get.
std::vector<std::string> ExtensionsOf(
    const std::vector<OutputRequest>& requests, bool report);

// Not thread-safe; one for each clip. Statuses are FAILED_PRECONDITION
// "PATH: why".
class ClipOutputs final : public OutputReceiver {
 public:
  // The outputs are made at `input.base` below `directory`. Requires that this
  // path stays below it. All references must outlive this object.
  ClipOutputs(const OutputDir& directory, const OutputRules& rules,
              const Input& input);

  // Checks the outputs that exist. True: convert the clip; false: skip it.
  // CANCELLED if `cancel` ends the computation of a digest; it may be null, and
  // later calls use it, too.
  absl::StatusOr<bool> Prepare(const CancelToken* cancel);

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // Gives the files of all outputs that were made their names, and writes the
  // report if it is not empty. If a file cannot get its name, the files before
  // it have theirs. Requires that the conversion has succeeded with `result`.
  absl::Status Commit(const ConvertResult& result, std::string_view report);
  // Drops the outputs and writes only the report. With `resume`, outputs of an
  // earlier run that a good clip would replace are removed: they are not those
  // of the clip as it is now.
  absl::Status CommitReport(std::string_view report);

  // The error for which files could not be written; OK if they were.
  const absl::Status& status() const { return status_; }
  // Paths of the files that were committed; they begin with the folder.
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
  // Options other than -f that help the user.
  std::string OtherWays() const;
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
  std::vector<std::string> paths_;
  // The digest of a large input is computed while that is converted. Last, so
  // that all that it uses outlives it.
  std::future<absl::Status> digest_;
};

}  // namespace bvhmill::client
