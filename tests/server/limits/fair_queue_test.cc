// Callers take turns at the workers.

#include "server/limits/fair_queue.h"

#include <gmock/gmock.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::testing {
namespace {

using server::FairQueue;
using ::testing::ElementsAre;

FairQueue::Options OneWorker(int spare_threads) {
  FairQueue::Options options;
  options.threads = 1;
  options.spare_threads = spare_threads;
  options.timeout = std::chrono::milliseconds(1);
  return options;
}

// Names of tasks in the order in which they ran.
class Order {
 public:
  std::function<void()> Task(const std::string& name) {
    return [this, name] {
      const std::lock_guard lock(mutex_);
      names_.push_back(name);
    };
  }
  std::vector<std::string> names() {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

std::vector<std::string> Without(const std::string& name,
                                 std::vector<std::string> names) {
  std::erase(names, name);
  return names;
}

TEST(FairQueueTest, CallersTakeTurnsHoweverManyTasksTheyHave) {
  Order order;
  {
    FairQueue queue(OneWorker(/*spare_threads=*/0));
    std::latch all_queued(1);
    ASSERT_TRUE(queue.Enqueue("x", [&] { all_queued.wait(); }));
    for (const char* name : {"a1", "a2", "a3", "a4", "b1", "b2", "c1"}) {
      ASSERT_TRUE(queue.Enqueue(std::string(name, 1), order.Task(name)));
    }
    all_queued.count_down();
  }
  EXPECT_THAT(order.names(),
              ElementsAre("a1", "b1", "c1", "a2", "b2", "a3", "a4"));
}

TEST(FairQueueTest, ALongTaskKeepsNoOtherCallerWaiting) {
  Order order;
  std::latch long_began(1);
  std::latch other_ran(1);
  std::latch long_ended(1);
  // Goes first, for it waits for the tasks, which use the others.
  FairQueue queue(OneWorker(/*spare_threads=*/1));
  ASSERT_TRUE(queue.Enqueue("long", [&] {
    long_began.count_down();
    other_ran.wait();
    order.Task("long")();
    long_ended.count_down();
  }));
  long_began.wait();
  ASSERT_TRUE(queue.Enqueue("long", order.Task("long 2")));
  ASSERT_TRUE(queue.Enqueue("other", [&] {
    order.Task("other")();
    other_ran.count_down();
  }));
  long_ended.wait();
  // If the spare thread began the long task, the worker may have taken the
  // second one before.
  EXPECT_THAT(Without("long 2", order.names()), ElementsAre("other", "long"));
}

TEST(FairQueueTest, OneCallerPerSpareThreadPassesLongTasks) {
  std::latch all_run(4);
  FairQueue queue(OneWorker(/*spare_threads=*/3));
  for (const char* caller : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(queue.Enqueue(caller, [&] { all_run.arrive_and_wait(); }));
  }
  all_run.wait();
}

TEST(FairQueueTest, WhatATaskThrowsIsReportedAndEndsNothing) {
  std::vector<std::string> thrown;
  Order order;
  {
    FairQueue::Options options = OneWorker(/*spare_threads=*/0);
    options.on_exception = [&] {
      try {
        throw;
      } catch (const std::exception& error) {
        thrown.emplace_back(error.what());
      }
    };
    FairQueue queue(options);
    ASSERT_TRUE(queue.Enqueue("a", [] { throw std::runtime_error("odd"); }));
    ASSERT_TRUE(queue.Enqueue("a", order.Task("next")));
  }
  EXPECT_THAT(thrown, ElementsAre("odd"));
  EXPECT_THAT(order.names(), ElementsAre("next"));
}

// Enqueues tasks while the only worker is kept busy, and returns the order in
// which they ran: names that begin with a capital are background tasks.
std::vector<std::string> OrderOf(const std::vector<std::string>& names) {
  Order order;
  {
    FairQueue queue(OneWorker(/*spare_threads=*/0));
    std::latch all_queued(1);
    EXPECT_TRUE(queue.Enqueue("x", [&] { all_queued.wait(); }));
    for (const std::string& name : names) {
      const bool is_background = name[0] >= 'A' && name[0] <= 'Z';
      EXPECT_TRUE(queue.Enqueue(
          name.substr(0, 1), order.Task(name),
          is_background ? Priority::kBackground : Priority::kInteractive));
    }
    all_queued.count_down();
  }
  return order.names();
}

TEST(FairQueueTest, ACallerThatEnqueuesMoreKeepsItsTurn) {
  EXPECT_THAT(OrderOf({"a1", "b1", "a2"}), ElementsAre("a1", "b1", "a2"));
}

TEST(FairQueueTest, BackgroundTasksComeLastAndTakeTurnsToo) {
  EXPECT_THAT(OrderOf({"A1", "A2", "B1", "a1", "a2", "b1"}),
              ElementsAre("a1", "b1", "a2", "A1", "B1", "A2"));
}

TEST(FairQueueTest, BackgroundTasksAreNotStarved) {
  std::vector<std::string> names = {"A1"};
  for (int i = 1; i <= 30; ++i) names.push_back("a" + std::to_string(i));
  const std::vector<std::string> order = OrderOf(names);
  ASSERT_EQ(order.size(), names.size());
  const auto at = std::find(order.begin(), order.end(), "A1") - order.begin();
  EXPECT_GT(at, 0);
  EXPECT_LE(at, Workers::kInteractiveInRow);
}

// A task of the background keeps the only worker; the caller that waits gets a
// spare thread.
TEST(FairQueueTest, ALongBackgroundTaskKeepsNoInteractiveTaskWaiting) {
  FairQueue queue(OneWorker(/*spare_threads=*/1));
  std::latch begun(1);
  std::latch passed(1);
  ASSERT_TRUE(queue.Enqueue(
      "a",
      [&] {
        begun.count_down();
        passed.wait();
      },
      Priority::kBackground));
  begun.wait();
  ASSERT_TRUE(queue.Enqueue("b", [&] { passed.count_down(); }));
  passed.wait();
}

// Long interactive tasks of one caller kept jobs of all callers waiting: each
// ninth task was one of theirs, whatever the time of the other eight.
TEST(FairQueueTest, LongInteractiveTasksKeepNoBackgroundTaskWaiting) {
  FairQueue queue(OneWorker(/*spare_threads=*/1));
  std::latch begun(1);
  std::latch passed(2);
  ASSERT_TRUE(queue.Enqueue("a", [&] {
    begun.count_down();
    passed.wait();
  }));
  begun.wait();
  ASSERT_TRUE(queue.Enqueue("a", [] {}));
  for (const char* caller : {"b", "c"}) {
    ASSERT_TRUE(queue.Enqueue(
        caller, [&] { passed.count_down(); }, Priority::kBackground));
  }
  passed.wait();
}

// Workers are threads of TBB. On a busy machine a spare thread may run the
// first task of a test before the worker has begun, which then is free for
// others.
bool IsOnSpareThread() {
  return tbb::this_task_arena::current_thread_index() ==
         tbb::task_arena::not_initialized;
}

// Jobs have one spare thread at most: the others are for callers who wait.
TEST(FairQueueTest, OneBackgroundTaskAtMostPassesLongTasks) {
  std::latch begun(1);
  std::latch all_ran(3);
  std::latch end(1);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  FairQueue queue(OneWorker(/*spare_threads=*/3));
  ASSERT_TRUE(queue.Enqueue("a", [&] {
    begun.count_down();
    end.wait();
  }));
  begun.wait();
  for (const char* caller : {"b", "c", "d"}) {
    ASSERT_TRUE(queue.Enqueue(
        caller,
        [&] {
          const int one = IsOnSpareThread() ? 1 : 0;
          most = std::max(most.load(), running += one);
          // The other spare threads look again meanwhile.
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          running -= one;
          all_ran.count_down();
        },
        Priority::kBackground));
  }
  all_ran.wait();
  EXPECT_LE(most, 1);
  end.count_down();
}

// Long tasks took the workers, and all spare threads.
TEST(FairQueueTest, LongTasksKeepNoOtherTaskWaiting) {
  std::latch begun(1);
  std::latch passed(2);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  FairQueue queue(OneWorker(/*spare_threads=*/0));
  for (const char* caller : {"a", "b", "c"}) {
    queue.EnqueueLong(caller, [&] {
      most = std::max(most.load(), ++running);
      if (!begun.try_wait()) begun.count_down();
      passed.wait();
      --running;
    });
  }
  begun.wait();
  for (const Priority priority :
       {Priority::kInteractive, Priority::kBackground}) {
    ASSERT_TRUE(queue.Enqueue(
        "d", [&] { passed.count_down(); }, priority));
  }
  passed.wait();
  EXPECT_EQ(most, 1);
}

// The tasks of both other kinds never end here: each enqueues the next one.
TEST(FairQueueTest, OtherTasksKeepNoLongTaskWaiting) {
  std::atomic<bool> is_done = false;
  std::function<void(Priority)> again;
  FairQueue queue(OneWorker(/*spare_threads=*/1));
  again = [&](Priority priority) {
    if (is_done) return;
    queue.Enqueue(
        "a", [&, priority] { again(priority); }, priority);
  };
  for (const Priority priority :
       {Priority::kInteractive, Priority::kBackground}) {
    again(priority);
    again(priority);
  }
  queue.EnqueueLong("b", [&] { is_done = true; });
  while (!is_done) std::this_thread::yield();
}

TEST(FairQueueTest, CallersTakeTurnsAtLongTasksToo) {
  Order order;
  {
    FairQueue queue(OneWorker(/*spare_threads=*/0));
    std::latch all_queued(1);
    queue.EnqueueLong("x", [&] { all_queued.wait(); });
    for (const char* name : {"a1", "a2", "a3", "b1"}) {
      queue.EnqueueLong(std::string(name, 1), order.Task(name));
    }
    all_queued.count_down();
  }
  EXPECT_THAT(order.names(), ElementsAre("a1", "b1", "a2", "a3"));
}

TEST(FairQueueTest, EveryTaskRunsOnce) {
  std::atomic<int> ran{0};
  constexpr int kThreads = 4;
  constexpr int kTasks = 2'000;
  {
    FairQueue::Options options = OneWorker(/*spare_threads=*/2);
    options.threads = 3;
    FairQueue queue(options);
    std::vector<std::jthread> callers;
    for (int i = 0; i < kThreads; ++i) {
      callers.emplace_back([&queue, &ran, caller = std::to_string(i)] {
        for (int k = 0; k < kTasks; ++k) {
          // Half of them enqueue one more.
          EXPECT_TRUE(queue.Enqueue(caller, [&queue, &ran, k] {
            ++ran;
            if (k % 2 == 0) {
              EXPECT_TRUE(queue.Enqueue("late", [&ran] { ++ran; }));
            }
          }));
        }
      });
    }
  }
  EXPECT_EQ(ran, kThreads * kTasks * 3 / 2);
}

}  // namespace
}  // namespace bvhmill::testing
