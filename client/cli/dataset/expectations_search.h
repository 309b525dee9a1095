#pragma once

// Finds the expectations of the clips of a run.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "client/cli/dataset/dataset_options.h"
#include "client/cli/dataset/expectations.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

// The expectations of each clip. Const functions are thread-safe.
class ClipExpectations {
 public:
  // Reads the files, each once. A clip has the expectations of flags.file, or
  // else those of the nearest file .bvhmill.toml, in its folder or in a folder
  // above; none if flags.none. INVALID_ARGUMENT "PATH...: why" if a file is
  // wrong.
  static absl::StatusOr<ClipExpectations> Find(const ExpectationsFlags& flags,
                                               const std::vector<Input>& inputs,
                                               const CancelToken* cancel);

  // Calls `read` for each file that expectations name as their skeleton, and
  // keeps its joints. Call once, before Of. INVALID_ARGUMENT
  // "PATH:LINE:COLUMN: skeleton: FILE: why".
  absl::Status ReadSkeletons(
      const std::function<absl::StatusOr<JointList>(const std::string& path)>&
          read);

  // The expectations of the clip with this index among the inputs; null if it
  // has none. Valid as long as this object.
  const Expectations* Of(size_t input) const;

  // The files, sorted by path.
  std::vector<std::string> Paths() const;
  // The files, and those that they name as their skeletons.
  std::vector<std::string> ReadPaths() const;

 private:
  std::vector<Expectations> files_;
  // By input: an index into files_, or -1.
  std::vector<int> by_input_;
};

}  // namespace bvhmill::client
