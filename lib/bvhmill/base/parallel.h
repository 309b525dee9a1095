#pragma once

// Parallel work on one clip: runs tasks on several threads, and passes the
// results of numbered pieces on in order.
//
//   parallel->Run(blocks, [&](int64_t block) { Check(block); });
//
// The interface Parallel leaves open whose threads they are, so the library
// below pipeline/ needs no thread pool.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

namespace bvhmill {

class Parallel {
 public:
  virtual ~Parallel() = default;

  // The number of threads that may work at the same time, the caller included;
  // >= 1.
  virtual int threads() const = 0;
  // Calls `task(i)` once for each i in [0, tasks), possibly in parallel, and
  // returns when all calls have returned. A task may wait for another task that
  // has begun; the implementation must not pause a task that has begun. If a
  // task throws, tasks that have not begun may be skipped. Run then waits for
  // the running tasks and throws the same exception.
  virtual void Run(int64_t tasks, const std::function<void(int64_t)>& task) = 0;
};

// The calling thread only.
class OneThread final : public Parallel {
 public:
  int threads() const override { return 1; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
};

// Waits until `is_done` is true for the value of `atomic`, and returns that
// value. For work that another thread is about to finish. The thread that
// changes the value must call notify.
//
// Spins for about 200 microseconds before it sleeps: a thread that sleeps wakes
// up after 50 microseconds or more, as long as the awaited work. Does not yield
// while it spins: on a busy machine a thread that yields runs again only after
// milliseconds.
template <class T, class IsDone>
T WaitUntil(const std::atomic<T>& atomic, IsDone is_done) {
  constexpr int kLooks = 80'000;
  for (int i = 0; i < kLooks; ++i) {
    const T value = atomic.load(std::memory_order_acquire);
    if (is_done(value)) return value;
  }
  T value = atomic;
  while (!is_done(value)) {
    atomic.wait(value);
    value = atomic;
  }
  return value;
}

// Lets threads work on numbered pieces in parallel and pass the results on in
// order. Thread-safe. Each thread repeats this:
//
//   const int64_t piece = sequencer.Take();
//   OrderedSequencer::Slot slot(&sequencer, piece);
//   ...work on the piece...
//   slot.Wait();
//   ...pass the result on; no other thread does so now...
class OrderedSequencer {
 public:
  class Slot;

  // Returns the number of the next piece, from 0 on. The caller must create a
  // Slot for it; without one, later pieces wait forever.
  int64_t Take() { return next_++; }

  // Tells all threads to pass no further result on. A thread checks stopped()
  // after its wait; Stop() itself ends no wait.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  // Returns when all pieces before `piece` are passed on. Other threads already
  // work on them, so the wait is usually short.
  void Wait(int64_t piece) const {
    WaitUntil(next_to_pass_, [&](int64_t next) { return next == piece; });
  }

  void Pass(int64_t piece) {
    next_to_pass_ = piece + 1;
    next_to_pass_.notify_all();
  }

  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> next_to_pass_{0};
  std::atomic<bool> stopped_{false};
};

// The turn of a piece from Take(). The destructor waits until the earlier
// pieces are passed on, then lets the next piece pass. If an exception destroys
// the slot, it also calls Stop(), so that the other threads stop too.
class OrderedSequencer::Slot {
 public:
  Slot(OrderedSequencer* sequencer, int64_t piece)
      : sequencer_(*sequencer), piece_(piece) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    if (std::uncaught_exceptions() > exceptions_) sequencer_.Stop();
    sequencer_.Wait(piece_);
    sequencer_.Pass(piece_);
  }

  // Returns when all earlier pieces are passed on. From then until the slot is
  // destroyed, only this thread passes results on.
  void Wait() const { sequencer_.Wait(piece_); }

 private:
  OrderedSequencer& sequencer_;
  int64_t piece_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
