#pragma once

// Many files in one array: no object for each take.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/report.h"
#include "client/python/module/block.h"
#include "client/python/module/choices.h"
#include "client/python/module/interrupts.h"

namespace bvhmill::python {

// The takes with one list of joints: the same names, parents and channels.
struct FlatGroup {
  // Indices of the paths, ascending.
  std::vector<int64_t> paths;
  // One more than paths: the frames of take i are those from offsets[i] to
  // offsets[i + 1].
  std::vector<int64_t> offsets;
  // The rig of each take, an index into `rigs`.
  std::vector<int32_t> rigs_of_takes;
  std::vector<double> frame_times;
  // The skeletons that differ in an OFFSET or an end site, by the order of
  // their first takes.
  std::vector<ClipInfo> rigs;
  // One for each output of the choices.
  std::vector<std::shared_ptr<Block>> arrays;
};

// A file that has no frames in any group.
struct FlatFailure {
  int64_t path = 0;
  int os_error = 0;
  absl::Status status;
  Report report;
};

struct FlatBatch {
  // The largest group first; then by their first path.
  std::vector<FlatGroup> groups;
  // In the order of the paths.
  std::vector<FlatFailure> failures;
  // By path; kUnreadable for a file that cannot be opened.
  std::vector<Verdict> verdicts;
};

// Converts all files by `threads` threads of its own. The outputs of the
// choices must be arrays with frames as the first axis. All arrays are in
// memory twice for a moment.
FlatBatch ReadFlat(const std::vector<std::string>& paths,
                   const Choices& choices, int threads, Interrupts* interrupts);

}  // namespace bvhmill::python
