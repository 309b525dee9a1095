#pragma once

// The state of a Converter: the memory that it keeps from clip to clip, and the
// threads that it uses. Also the times and the costs of the stages of a
// conversion.

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/check_clip.h"

namespace bvhmill {

// The memory that a converter reuses from clip to clip. It holds one clip at a
// time.
struct Workspace {
  // The clip as it was read.
  ParsedClip read;
  HierarchyCache cache;
  SkeletonCompiler compiler;
  CheckMemory check;
  // The clip that is edited and encoded, and the plan of its edited skeleton.
  Clip clip;
  Plan edited_plan;
  PoseWorkspace poses;
  // Memory for the rows of an edited clip. Its contents are undefined.
  UninitializedVector<float> spare_values;

  // Empties `read`. Drops the compiled skeleton unless the cache shares it.
  // `clip` keeps its content until the next clip replaces it.
  void ReleaseClip();
  // Returns the bytes of the larger of two skeletons: that of `clip`, and the
  // one that the reader shared last.
  int64_t SkeletonBytesKept() const;
  // Returns the bytes of the rows of both clips, of the spare rows, and of the
  // memory for poses and checks. Skeletons do not count.
  size_t KeptBytes() const;
};

struct Converter::State {
  std::unique_ptr<Parallel> parallel;
  // Null until the first clip.
  std::unique_ptr<Workspace> workspace;
  // False after an exception: the workspace may be half changed.
  bool is_whole = true;

  // Returns the workspace for the next clip. Makes a new one if there is none,
  // or if it is not whole.
  Workspace* Begin() {
    if (workspace == nullptr || !is_whole) {
      workspace.reset();
      workspace = std::make_unique<Workspace>();
      is_whole = true;
    }
    return workspace.get();
  }
};

// The time in which a conversion uses the workspace. The destructor clears
// State::is_whole if an exception leaves the scope.
class WorkspaceUse {
 public:
  explicit WorkspaceUse(Converter::State* state) : state_(*state) {}
  ~WorkspaceUse() {
    if (std::uncaught_exceptions() > exceptions_) state_.is_whole = false;
  }
  WorkspaceUse(const WorkspaceUse&) = delete;
  WorkspaceUse& operator=(const WorkspaceUse&) = delete;

 private:
  Converter::State& state_;
  int exceptions_ = std::uncaught_exceptions();
};

// Returns the threads that `parallelism` states: the calling thread alone, an
// arena of the converter, or the arena of the caller. Never null.
std::unique_ptr<Parallel> MakeParallel(const Parallelism& parallelism);

// The TBB arena of the calling thread. Only idle threads of the arena help: if
// all threads are busy with other clips, the calling thread works alone.
// Stateless; thread-safe.
class ArenaParallel final : public Parallel {
 public:
  int threads() const override;
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override;
};

// Adds the time from its construction to its destruction to `*total`.
class StageTimer {
 public:
  explicit StageTimer(std::chrono::nanoseconds* total)
      : total_(total), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() { *total_ += std::chrono::steady_clock::now() - start_; }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  std::chrono::nanoseconds* total_;
  std::chrono::steady_clock::time_point start_;
};

// Returns a holder that calls receiver->Hold. If `receiver` is null, the holder
// is empty, and only the limits of the budget decide.
Budget::Holder HolderOf(OutputReceiver* receiver);

// Draws from `budget` the memory and the work of a skeleton, its plan, its
// facts and the description of its joints. The description counts three times:
// in ClipInfo, and in two messages of the server. O(nodes).
absl::Status DrawSkeleton(const Skeleton& skeleton, Budget* budget);

// Draws the memory and the work of the description only. O(nodes).
absl::Status DrawDescription(const Skeleton& skeleton, Budget* budget);

}  // namespace bvhmill
