// A queue for whose tasks the system has no memory.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <thread>

#include "server/limits/fair_queue.h"
#include "tests/allocations/allocator.h"

namespace bvhmill::testing {
namespace {

using server::FairQueue;

// True if the queue takes the task, while only the next `count` allocations
// succeed.
bool TakesWithMemoryFor(int64_t count, std::function<void()> task,
                        FairQueue* queue) {
  const MemoryFor some(count);
  try {
    return queue->Enqueue("a", std::move(task));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The lists of tasks that wait take memory for 12 tasks at once. So only some
// of many tasks find no memory there.
TEST(QueueMemoryTest, ATaskRunsIfItIsTakenAndNeverElse) {
  constexpr int kTasks = 60;
  constexpr int64_t kAllocations = 8;
  for (int64_t count = 0; count <= kAllocations; ++count) {
    std::atomic<int> ran = 0;
    std::atomic<int> others_ran = 0;
    int taken = 0;
    int others = 0;
    FairQueue::Options options;
    options.threads = 1;
    options.spare_threads = 0;
    FairQueue queue(options);
    const auto run_other = [&](const char* caller) {
      ASSERT_TRUE(queue.Enqueue(caller, [&] { ++others_ran; }));
      ++others;
      while (others_ran < others) std::this_thread::yield();
      // The worker ends its call meanwhile, so that the next task needs one.
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
    for (int i = 0; i < kTasks; ++i) {
      taken += TakesWithMemoryFor(
                   count, [&] { ++ran; }, &queue)
                   ? 1
                   : 0;
      while (ran < taken) std::this_thread::yield();
      run_other("b");
      if (i % 2 == 0) run_other("a");
      ASSERT_EQ(ran, taken) << count;
    }
    if (count == 0) {
      EXPECT_EQ(taken, 0);
    } else if (count == kAllocations) {
      EXPECT_EQ(taken, kTasks);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
