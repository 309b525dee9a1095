#pragma once

// The output files of one clip: all of them are there in the end, or none.

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
#include "client/cli/ui/console.h"
#include "client/cli/io/file_state.h"
#include "client/cli/io/inputs.h"
#include "client/cli/manifest.h"
#include "client/cli/io/new_file.h"
#include "client/cli/io/output_dir.h"

namespace bvhmill::client {

// The extension of the file with the report of a clip.
inline constexpr std::string_view kReportExtension = ".report.json";

// The same for every clip of a run.
struct OutputRules {
  std::vector<OutputRequest> requests;
  // Write a .report.json, for broken clips, too.
  bool report = false;
  // Replace outputs that exist.
  bool force = false;
  // Leave a clip alone whose outputs are those that this run would make, by the
  // manifest. Replace outputs that the manifest names, and no others.
  bool resume = false;
  // Never replaced.
  std::set<FileId> inputs;
  // Not empty: the only output gets this name in the directory.
  std::string file_name;
  // Not null: the only output goes to its stdout, once it is complete.
  Console* to_stdout = nullptr;
  // Is told what was made; or null.
  Manifest* manifest = nullptr;
  // For the manifest.
  std::string options_digest;
};

// Not thread-safe; one for each clip. Statuses are FAILED_PRECONDITION
// "PATH: why".
class ClipOutputs final : public OutputReceiver {
 public:
  // The outputs stand at `input.base` below `directory`; it stays below it. All
  // references must outlive this.
  ClipOutputs(const OutputDir& directory, const OutputRules& rules,
              const Input& input);

  // Looks at what is there. True: the clip is to be converted; false: it was.
  // `cancel`, which may be null, ends the computation of digests here and
  // later. CANCELLED.
  absl::StatusOr<bool> Prepare(const CancelToken* cancel);

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // Names the files, which were all written, by the result of the conversion,
  // and with them the report if there is one.
  absl::Status Commit(const ConvertResult& result, std::string_view report);
  // Names the report alone.
  absl::Status CommitReport(std::string_view report);

  // What went wrong here, rather than in the conversion. OK: nothing.
  const absl::Status& status() const { return status_; }
  // Names of what was committed, below the name of the directory.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  struct Output {
    std::string extension;
    NewFile file;
    // As it was announced.
    std::vector<int64_t> shape;
  };

  // The outputs that exist, by extension.
  using Existing = std::map<std::string, struct stat>;

  static absl::Status Refused(const std::string& path, std::string_view why);
  std::vector<std::string> Extensions() const;
  std::string NameOf(std::string_view extension) const;
  std::string PathOf(std::string_view name) const;
  absl::StatusOr<Existing> FindExisting() const;
  bool HasNoManifest() const;
  bool IsStale(const struct stat& output) const;
  bool AreNewer(const Existing& existing) const;
  absl::Status IsDone(const Existing& existing, bool* is_done);
  absl::Status CheckOwner(const Existing& existing);
  bool MayReplace(const std::string& extension) const;
  // The choices of the user beside -f.
  std::string OtherWays() const;
  void StartDigest();
  absl::Status FinishDigest();
  absl::Status Fail(std::string_view extension, const absl::Status& status);
  absl::Status AddFile(const std::string& extension);
  absl::Status AddReport(std::string_view report);
  absl::Status CorrectShapes(const ConvertResult& result);
  absl::Status CommitAll(bool is_done);
  absl::Status NameFiles();
  absl::Status SendToStdout();

  const OutputDir& directory_;
  const OutputRules& rules_;
  const Input& input_;
  // Before it was read; without a value if it is no regular file.
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
