#pragma once

// The kinds of Parallel that a Converter works with. Private to pipeline/.

#include <sys/types.h>
#include <tbb/task_arena.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// The calling thread alone. Stateless; thread-safe.
class NoParallel final : public Parallel {
 public:
  int threads() const override { return 1; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
};

// The TBB arena that the caller runs in. Only idle threads of the arena help:
// if all are busy with other clips, the calling thread works alone. Stateless;
// thread-safe.
class ArenaParallel final : public Parallel {
 public:
  int threads() const override;
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override;
};

// An arena of its own. In a child process after a fork the threads of the arena
// do not exist: the calling thread then works alone. One call at a time.
class OwnArena final : public Parallel {
 public:
  explicit OwnArena(int threads);
  int threads() const override;
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override;

 private:
  bool is_forked() const;

  tbb::task_arena arena_;
  const int threads_;
  const pid_t process_;
};

// Never null.
std::unique_ptr<Parallel> MakeParallel(const Parallelism& parallelism);

}  // namespace bvhmill
