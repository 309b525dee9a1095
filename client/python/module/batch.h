#pragma once

// Converts many files in several threads: Batch returns one result after the
// other, and ReadFlat returns all results in one array for each list of joints.
// Holds no Python object.
//
//   Batch batch(paths, choices, /*threads=*/2, /*is_ordered=*/true, max_bytes);
//   while (auto result = batch.Next(&interrupts)) Use(*result);

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/report.h"
#include "client/python/module/block.h"
#include "client/python/module/conversion.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {

// The result of one file.
struct BatchResult {
  // The index of its path.
  int64_t index = 0;
  Converted converted;
};

// Threads read and solve files and append the results to a queue, which is
// limited to `max_bytes` of arrays, but always has room for one result. The
// threads start with the object and end with Close. A child of a fork has none
// of them: Next then throws std::runtime_error, and Close does nothing.
class Batch {
 public:
  // Uses fewer threads if not all can be started; throws std::system_error if
  // none can.
  Batch(std::vector<std::string> paths, const Choices& choices, int threads,
        bool is_ordered, int64_t max_bytes);
  // Calls Close.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The next result: in the order of the paths, or as they are ready. None
  // after the last one, and after Close. `interrupts` ends the wait. Several
  // threads may call it; each result is returned once.
  std::optional<BatchResult> Next(Interrupts* interrupts);

  // Cancels the running conversions and waits for the threads. Other threads
  // may call Next at the same time, but not Close.
  void Close();

 private:
  struct State;
  static void Work(State* state);
  bool is_forked() const;

  // Never freed in a child of a fork: its lock may be held.
  std::unique_ptr<State> state_;
  std::vector<std::thread> threads_;
  int process_;
};

// The takes with one list of joints: the same names and parents.
struct FlatGroup {
  // Indices of the paths, ascending.
  std::vector<int64_t> paths;
  // One more than paths: the frames of take i are those from offsets[i] to
  // offsets[i + 1].
  std::vector<int64_t> offsets;
  // The rig of each take, an index into `rigs`.
  std::vector<int32_t> rigs_of_takes;
  std::vector<double> frame_times;
  // The skeletons that differ in an OFFSET, in channels or in end sites, by the
  // order of their first takes.
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

// The result of ReadFlat, without an object for each take.
struct FlatBatch {
  // The largest group first; then by their first path.
  std::vector<FlatGroup> groups;
  // In the order of the paths.
  std::vector<FlatFailure> failures;
  // By path; kUnreadable for a file that cannot be opened.
  std::vector<Verdict> verdicts;
};

// Converts all files in `threads` threads of its own, and joins their arrays.
// The outputs of the choices must be arrays with frames as the first axis. Peak
// memory is twice the size of all arrays.
FlatBatch ReadFlat(const std::vector<std::string>& paths,
                   const Choices& choices, int threads, Interrupts* interrupts);

}  // namespace bvhmill::python
