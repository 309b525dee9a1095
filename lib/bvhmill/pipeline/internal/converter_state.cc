#include "bvhmill/pipeline/internal/converter_state.h"

#include <sys/types.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"

namespace bvhmill {

void Workspace::ReleaseClip() {
  MakeEmpty(&read);
  compiler.KeepOnly(cache.source);
}

int64_t Workspace::SkeletonBytesKept() const {
  const SourceSkeleton* last = read.room.shared.get();
  return std::max(SkeletonBytes(clip.skeleton),
                  last == nullptr ? 0 : SkeletonBytes(last->skeleton));
}

size_t Workspace::KeptBytes() const {
  const size_t floats = read.motion.values.capacity() +
                        clip.motion.values.capacity() + spare_values.capacity();
  return floats * sizeof(float) + poses.KeptBytes() + check.KeptBytes();
}

namespace {

// Isolated: a thread that waits must not begin another clip, which would delay
// this one.
void RunIsolated(int64_t tasks, const std::function<void(int64_t)>& task) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(int64_t{0}, tasks, task, tbb::simple_partitioner());
  });
}

// The calling thread only.
class NoParallel final : public Parallel {
 public:
  int threads() const override { return 1; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
};

// An arena of its own. After a fork, the threads of the arena do not exist in
// the child: the calling thread then works alone. One call at a time.
class OwnArena final : public Parallel {
 public:
  explicit OwnArena(int threads)
      : arena_(threads), threads_(threads), process_(getpid()) {}

  int threads() const override { return is_forked() ? 1 : threads_; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    if (is_forked()) return NoParallel().Run(tasks, task);
    arena_.execute([&] { RunIsolated(tasks, task); });
  }

 private:
  bool is_forked() const { return getpid() != process_; }

  tbb::task_arena arena_;
  const int threads_;
  const pid_t process_;
};

}  // namespace

std::unique_ptr<Parallel> MakeParallel(const Parallelism& parallelism) {
  switch (parallelism.kind()) {
    case Parallelism::Kind::kNone:
      break;
    case Parallelism::Kind::kThreads: {
      const int threads = parallelism.threads() > 0
                              ? parallelism.threads()
                              : tbb::info::default_concurrency();
      if (threads > 1) return std::make_unique<OwnArena>(threads);
      break;
    }
    case Parallelism::Kind::kCallersPool:
      return std::make_unique<ArenaParallel>();
  }
  return std::make_unique<NoParallel>();
}

int ArenaParallel::threads() const {
  return tbb::this_task_arena::max_concurrency();
}

void ArenaParallel::Run(int64_t tasks,
                        const std::function<void(int64_t)>& task) {
  RunIsolated(tasks, task);
}

namespace {

// Bytes of a node in a plan with its schedules, in the facts, and in the text
// positions; of a joint in ClipInfo and in two messages; of a channel in the
// steps of a plan and in three descriptions.
constexpr int64_t kPlanBytes = 256;
constexpr int64_t kJointBytes = 256;
constexpr int64_t kChannelBytes = 16;
// Copies of a name: in ClipInfo, and in two messages while they are built.
constexpr int64_t kNameCopies = 4;
// Units of work on a node, and on a byte of its name.
constexpr int64_t kNodeWork = 500;
constexpr int64_t kNameWork = 8;

// Bytes of all names in messages: an end site without a label has the name of
// its joint, and a byte that is not UTF-8 becomes two.
int64_t DisplayBytes(const Skeleton& skeleton) {
  int64_t bytes = 0;
  for (const Node& node : skeleton.nodes) {
    const bool has_own = !node.name.empty() || node.parent < 0;
    const Node& named =
        has_own ? node : skeleton.nodes[static_cast<size_t>(node.parent)];
    bytes += HeapBytes(static_cast<int64_t>(named.name.size()));
  }
  return bytes;
}

int64_t CountOf(const Skeleton& skeleton) {
  return static_cast<int64_t>(skeleton.nodes.size());
}

}  // namespace

Budget::Holder HolderOf(OutputReceiver* receiver) {
  if (receiver == nullptr) return {};
  return [receiver](int64_t bytes) { return receiver->Hold(bytes); };
}

absl::Status DrawDescription(const Skeleton& skeleton, Budget* budget) {
  const int64_t names = DisplayBytes(skeleton);
  const auto channels = static_cast<int64_t>(skeleton.channels.size());
  BVHMILL_RETURN_IF_ERROR(budget->Hold(kJointBytes * CountOf(skeleton) +
                                       kNameCopies * names +
                                       kChannelBytes * channels));
  return budget->Work(kNodeWork * CountOf(skeleton) + kNameWork * names);
}

absl::Status DrawSkeleton(const Skeleton& skeleton, Budget* budget) {
  BVHMILL_RETURN_IF_ERROR(
      budget->Hold(kPlanBytes * CountOf(skeleton) + SkeletonBytes(skeleton)));
  return DrawDescription(skeleton, budget);
}

}  // namespace bvhmill
