#pragma once

// The output files of one clip: all of them are there in the end, or none.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/pipeline/convert.h"
#include "client/new_file.h"
#include "client/output_dir.h"

namespace bvhmill::client {

// The same for every clip of a run.
struct OutputRules {
  std::vector<OutputRequest> requests;
  // Write a .report.json, for broken clips, too.
  bool report = false;
  // Replace outputs that exist.
  bool force = false;
  // Leave a clip alone if all of its outputs exist, else make all of them.
  bool resume = false;
  // Never replaced.
  std::set<FileId> inputs;
};

// Not thread-safe; one for each clip. Statuses are FAILED_PRECONDITION
// "PATH: why".
class ClipOutputs final : public OutputReceiver {
 public:
  // `base` is the path below `directory`, without extension, and stays below
  // it. Both references must outlive this.
  ClipOutputs(const OutputDir& directory, const OutputRules& rules,
              const std::string& base);

  // Looks at what is there. True: the clip is to be converted; false: it was.
  absl::StatusOr<bool> Prepare() const;

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
    std::string name;
    NewFile file;
    // As it was announced.
    std::vector<int64_t> shape;
  };

  std::vector<std::string> Names() const;
  std::string PathOf(std::string_view name) const;
  absl::Status Fail(std::string_view name, const absl::Status& status);
  absl::Status AddFile(const std::string& name);
  absl::Status AddReport(std::string_view report);
  absl::Status CorrectShapes(const ConvertResult& result);
  absl::Status CommitAll();

  const OutputDir& directory_;
  const OutputRules& rules_;
  // The path of the directory below `directory_`, and the name in it.
  std::string below_;
  std::string stem_;
  UniqueFd parent_;
  // Behind `parent_`, since their temporaries are removed through it.
  std::vector<Output> files_;
  absl::Status status_;
  std::vector<std::string> paths_;
};

}  // namespace bvhmill::client
