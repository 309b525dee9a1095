// The pool of threads.

#include "bvhmill/pipeline/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::testing {
namespace {

// How long a test waits for what must happen; never reached if it does.
constexpr std::chrono::seconds kTimeout{60};

// A place where threads wait for each other.
class StartupBarrier {
 public:
  explicit StartupBarrier(int expected) : missing_(expected) {}

  // True once all who are expected are there.
  bool Arrive() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (--missing_ <= 0) changed_.notify_all();
    return changed_.wait_for(lock, kTimeout, [&] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int missing_;
};

TEST(Workers, RunEveryTask) {
  for (const int threads : {1, 2, 8}) {
    Workers workers(threads);
    std::vector<std::atomic<int>> runs(1000);
    for (auto& run : runs) workers.Enqueue([&run] { ++run; });
    workers.Wait();
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST(Workers, ReportTheirNumber) {
  for (const int threads : {1, 2, 3, 8}) {
    EXPECT_EQ(Workers(threads).threads(), threads);
  }
  EXPECT_GE(Workers(0).threads(), 1);
}

TEST(Workers, WorkAtTheSameTime) {
  Workers workers(2);
  StartupBarrier barrier(2);
  std::atomic<int> met = 0;
  for (int i = 0; i < 2; ++i) {
    workers.Enqueue([&] { met += barrier.Arrive() ? 1 : 0; });
  }
  workers.Wait();
  EXPECT_EQ(met, 2);
}

TEST(Workers, AreNoMoreThanAskedFor) {
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    std::atomic<int> running = 0;
    std::atomic<bool> crowded = false;
    for (int i = 0; i < 200; ++i) {
      workers.Enqueue([&] {
        if (++running > threads) crowded = true;
        std::this_thread::yield();
        --running;
      });
    }
    workers.Wait();
    EXPECT_FALSE(crowded) << threads;
  }
}

TEST(Workers, EnqueueNeverBlocks) {
  StartupBarrier start(2);
  StartupBarrier gate(2);
  std::atomic<int> runs = 0;
  Workers workers(1);
  workers.Enqueue([&] {
    start.Arrive();
    gate.Arrive();
  });
  ASSERT_TRUE(start.Arrive());
  for (int i = 0; i < 100; ++i) workers.Enqueue([&] { ++runs; });
  // Everything is queued while the only thread is stuck.
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(gate.Arrive());
  workers.Wait();
  EXPECT_EQ(runs, 100);
}

TEST(Workers, AreWaitedForByTheDestructor) {
  std::atomic<int> runs = 0;
  {
    Workers workers(2);
    for (int i = 0; i < 500; ++i) {
      workers.Enqueue([&] {
        std::this_thread::yield();
        ++runs;
      });
    }
  }
  EXPECT_EQ(runs, 500);
}

TEST(Workers, TakeTasksFromTasksAndThreads) {
  std::atomic<int> runs = 0;
  Workers workers(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int task = 0; task < 50; ++task) {
        workers.Enqueue([&] { workers.Enqueue([&] { ++runs; }); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  workers.Wait();
  EXPECT_EQ(runs, 200);
}

TEST(Workers, WorkAgainAfterAWait) {
  Workers workers(2);
  workers.Wait();
  std::atomic<int> runs = 0;
  for (int round = 1; round <= 3; ++round) {
    workers.Enqueue([&] { ++runs; });
    workers.Wait();
    EXPECT_EQ(runs, round);
  }
}

// Tasks that wait while the only worker is kept busy; run in the order of the
// returned text: i and b.
std::string OrderOf(const std::string& enqueued) {
  StartupBarrier start(2);
  StartupBarrier gate(2);
  std::string order;
  Workers workers(1);
  workers.Enqueue([&] {
    start.Arrive();
    gate.Arrive();
  });
  EXPECT_TRUE(start.Arrive());
  for (const char task : enqueued) {
    workers.Enqueue(
        [&order, task] { order += task; },
        task == 'b' ? Priority::kBackground : Priority::kInteractive);
  }
  EXPECT_TRUE(gate.Arrive());
  workers.Wait();
  return order;
}

TEST(Workers, BeginInteractiveTasksFirst) {
  EXPECT_EQ(OrderOf("bbbii"), "iibbb");
  EXPECT_EQ(OrderOf("bib"), "ibb");
  EXPECT_EQ(OrderOf("bbb"), "bbb");
}

TEST(Workers, BeginEveryNinthTaskFromTheBackground) {
  EXPECT_EQ(OrderOf("bbb" + std::string(20, 'i')),
            "iiiiiiii"
            "b"
            "iiiiiiii"
            "b"
            "iiii"
            "b");
}

TEST(Workers, SayWhatWaits) {
  StartupBarrier start(2);
  StartupBarrier gate(2);
  Workers workers(1);
  workers.Enqueue([&] {
    start.Arrive();
    gate.Arrive();
  });
  ASSERT_TRUE(start.Arrive());
  EXPECT_FALSE(workers.has_waiting(Priority::kInteractive));
  workers.Enqueue([] {}, Priority::kBackground);
  EXPECT_FALSE(workers.has_waiting(Priority::kInteractive));
  EXPECT_TRUE(workers.has_waiting(Priority::kBackground));
  EXPECT_TRUE(gate.Arrive());
  workers.Wait();
  EXPECT_FALSE(workers.has_waiting(Priority::kBackground));
}

// Interactive tasks never end here: each enqueues the next one.
TEST(Workers, DoNotStarveTheBackground) {
  Workers workers(2);
  std::atomic<bool> is_done = false;
  std::function<void()> again = [&] {
    if (!is_done) workers.Enqueue(again);
  };
  for (int i = 0; i < 4; ++i) workers.Enqueue(again);
  workers.Enqueue([&] { is_done = true; }, Priority::kBackground);
  workers.Wait();
  EXPECT_TRUE(is_done);
}

struct Batch {
  int64_t count;
  int threads;
};

void PrintTo(const Batch& batch, std::ostream* out) {
  *out << batch.count << " by " << batch.threads;
}

class RunBatchTest : public ::testing::TestWithParam<Batch> {};

INSTANTIATE_TEST_SUITE_P(Batches, RunBatchTest,
                         ::testing::Values(Batch{0, 0}, Batch{0, 4},
                                           Batch{1, 1}, Batch{1, 8},
                                           Batch{3, 8}, Batch{100, 0},
                                           Batch{100, 1}, Batch{1000, 4}));

TEST_P(RunBatchTest, CallsEachIndexOnce) {
  const auto [count, threads] = GetParam();
  std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
  std::atomic<int64_t> total = 0;
  RunBatch(count, threads, [&](int64_t i) {
    ++calls.at(static_cast<size_t>(i));
    ++total;
  });
  EXPECT_EQ(total, count);
  for (const auto& call : calls) EXPECT_EQ(call, 1);
}

TEST(RunBatch, RunsSeveralAtATime) {
  StartupBarrier barrier(3);
  std::atomic<int> met = 0;
  RunBatch(3, 3, [&](int64_t) { met += barrier.Arrive() ? 1 : 0; });
  EXPECT_EQ(met, 3);
}

TEST(RunBatch, StartsInOrder) {
  std::vector<int64_t> order;
  RunBatch(50, 1, [&](int64_t i) { order.push_back(i); });
  ASSERT_EQ(order.size(), 50u);
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace bvhmill::testing
