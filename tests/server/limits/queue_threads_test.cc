// The threads of a queue: how many tasks run at once, and on which threads.

#include <gmock/gmock.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "server/limits/fair_queue.h"

namespace bvhmill::testing {
namespace {

using server::FairQueue;
using std::chrono::milliseconds;

// More than enough for a spare thread whose timeout is a millisecond.
constexpr milliseconds kTimeToBegin(20);

FairQueue::Options ThreadsOf(int workers, int spares) {
  FairQueue::Options options;
  options.threads = workers;
  options.spare_threads = spares;
  options.timeout = milliseconds(1);
  return options;
}

// Tasks that run until End is called. Must outlive the queue.
class HeldTasks {
 public:
  std::function<void()> Task() {
    return [this] {
      ++begun_;
      end_.wait();
    };
  }
  // The number of tasks that have begun: waits until `count` have, and then
  // gives more of them time to begin.
  int BegunAfter(int count) const {
    while (begun_ < count) std::this_thread::yield();
    std::this_thread::sleep_for(kTimeToBegin);
    return begun_;
  }
  void End() { end_.count_down(); }

 private:
  std::atomic<int> begun_ = 0;
  std::latch end_{1};
};

TEST(QueueThreadsTest, EachWorkerRunsATask) {
  for (const int threads : {1, 3}) {
    for (const Priority priority :
         {Priority::kInteractive, Priority::kBackground}) {
      HeldTasks tasks;
      FairQueue queue(ThreadsOf(threads, /*spares=*/0));
      EXPECT_EQ(queue.threads(), threads);
      for (int i = 0; i < threads + 1; ++i) {
        ASSERT_TRUE(queue.Enqueue(std::to_string(i), tasks.Task(), priority));
      }
      EXPECT_EQ(tasks.BegunAfter(threads), threads);
      tasks.End();
    }
  }
}

TEST(QueueThreadsTest, LongTasksHaveHalfAsManyThreadsAsThereAreWorkers) {
  const std::pair<int, int> cases[] = {{1, 1}, {2, 1}, {4, 2}, {5, 2}};
  for (const auto& [workers, long_threads] : cases) {
    HeldTasks tasks;
    FairQueue queue(ThreadsOf(workers, /*spares=*/0));
    for (int i = 0; i < workers + 1; ++i) {
      queue.EnqueueLong(std::to_string(i), tasks.Task());
    }
    EXPECT_EQ(tasks.BegunAfter(long_threads), long_threads) << workers;
    tasks.End();
  }
}

TEST(QueueThreadsTest, FourCallersPassALongTaskByDefault) {
  HeldTasks tasks;
  FairQueue::Options options;
  options.threads = 1;
  options.timeout = milliseconds(1);
  FairQueue queue(options);
  // All threads wait by now.
  std::this_thread::sleep_for(kTimeToBegin);
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(queue.Enqueue(std::to_string(i), tasks.Task()));
  }
  EXPECT_EQ(tasks.BegunAfter(5), 5);
  tasks.End();
}

TEST(QueueThreadsTest, ASpareThreadTakesNoTaskBeforeItIsOverdue) {
  for (const Priority priority :
       {Priority::kInteractive, Priority::kBackground}) {
    HeldTasks tasks;
    FairQueue::Options options = ThreadsOf(/*workers=*/1, /*spares=*/1);
    options.timeout = std::chrono::hours(1);
    FairQueue queue(options);
    for (const char* caller : {"a", "b", "c"}) {
      ASSERT_TRUE(queue.Enqueue(caller, tasks.Task(), priority));
    }
    EXPECT_EQ(tasks.BegunAfter(1), 1);
    tasks.End();
  }
}

TEST(QueueThreadsTest, ASpareThreadTakesNoSecondTaskOfACaller) {
  HeldTasks tasks;
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/2));
  // The worker takes one, or two if a spare thread was faster at the first.
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.Enqueue("a", tasks.Task()));
  }
  EXPECT_LE(tasks.BegunAfter(1), 2);
  tasks.End();
}

// All workers run tasks of one priority: those of the other one must pass.
TEST(QueueThreadsTest, TasksOfEachPriorityPassThoseOfTheOtherOne) {
  const std::pair<Priority, Priority> cases[] = {
      {Priority::kBackground, Priority::kInteractive},
      {Priority::kInteractive, Priority::kBackground}};
  for (const auto& [running, waiting] : cases) {
    HeldTasks tasks;
    std::latch passed(1);
    FairQueue queue(ThreadsOf(/*workers=*/2, /*spares=*/1));
    for (const char* caller : {"a", "b"}) {
      ASSERT_TRUE(queue.Enqueue(caller, tasks.Task(), running));
    }
    EXPECT_EQ(tasks.BegunAfter(2), 2);
    ASSERT_TRUE(queue.Enqueue(
        "c", [&] { passed.count_down(); }, waiting));
    passed.wait();
    tasks.End();
  }
}

TEST(QueueThreadsTest, BackgroundTasksPassACallerOneAfterTheOther) {
  HeldTasks tasks;
  HeldTasks first;
  HeldTasks second;
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/2));
  ASSERT_TRUE(queue.Enqueue("a", tasks.Task()));
  EXPECT_EQ(tasks.BegunAfter(1), 1);
  // It is overdue, but its caller has a running task.
  ASSERT_TRUE(queue.Enqueue("a", tasks.Task()));
  ASSERT_TRUE(queue.Enqueue("b", first.Task(), Priority::kBackground));
  EXPECT_EQ(first.BegunAfter(1), 1);
  ASSERT_TRUE(queue.Enqueue("c", second.Task(), Priority::kBackground));
  EXPECT_EQ(second.BegunAfter(0), 0);
  first.End();
  EXPECT_EQ(second.BegunAfter(1), 1);
  tasks.End();
  second.End();
}

TEST(QueueThreadsTest, AThreadThatWaitsIsToldOfALongTask) {
  std::atomic<int> ran = 0;
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/0));
  for (int i = 1; i <= 5; ++i) {
    // The thread waits by now.
    std::this_thread::sleep_for(milliseconds(2));
    queue.EnqueueLong("a", [&] { ++ran; });
    while (ran < i) std::this_thread::yield();
  }
}

TEST(QueueThreadsTest, TasksOfAllThreadsCountAsBusy) {
  HeldTasks tasks;
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/1));
  EXPECT_EQ(queue.busy(), 0);
  for (const char* caller : {"a", "b"}) {
    ASSERT_TRUE(queue.Enqueue(caller, tasks.Task()));
  }
  queue.EnqueueLong("c", tasks.Task());
  EXPECT_EQ(tasks.BegunAfter(3), 3);
  EXPECT_EQ(queue.busy(), 3);
  tasks.End();
  while (queue.busy() != 0) std::this_thread::yield();
}

TEST(QueueThreadsTest, TasksOfOneCallerEndOneAfterTheOther) {
  HeldTasks first;
  HeldTasks second;
  FairQueue queue(ThreadsOf(/*workers=*/2, /*spares=*/0));
  ASSERT_TRUE(queue.Enqueue("a", first.Task()));
  ASSERT_TRUE(queue.Enqueue("a", second.Task()));
  EXPECT_EQ(first.BegunAfter(1) + second.BegunAfter(1), 2);
  first.End();
  while (queue.busy() != 1) std::this_thread::yield();
  second.End();
}

// A call that ends frees its task, which may begin the next one.
TEST(QueueThreadsTest, ATaskMayEnqueueAnotherOneWhenItIsFreed) {
  std::latch ran(1);
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/0));
  const auto enqueue = [&](void*) {
    EXPECT_TRUE(queue.Enqueue("a", [&] { ran.count_down(); }));
  };
  ASSERT_TRUE(
      queue.Enqueue("a", [owned = std::shared_ptr<void>(nullptr, enqueue)] {}));
  ran.wait();
}

int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

TEST(QueueThreadsTest, CallersWithoutTasksTakeNoMemory) {
  constexpr int kCallers = 1'000;
  constexpr size_t kNameBytes = 20'000;
  std::atomic<int> ran = 0;
  FairQueue queue(ThreadsOf(/*workers=*/1, /*spares=*/0));
  const int64_t before = HeapBytes();
  for (int i = 1; i <= kCallers; ++i) {
    const std::string caller = std::to_string(i) + std::string(kNameBytes, 'a');
    ASSERT_TRUE(queue.Enqueue(caller, [&] { ++ran; }));
    queue.EnqueueLong(caller, [&] { ++ran; });
    while (ran < 2 * i) std::this_thread::yield();
  }
  EXPECT_LT(HeapBytes() - before, kCallers * int64_t{kNameBytes} / 4);
}

}  // namespace
}  // namespace bvhmill::testing
