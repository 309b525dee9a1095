#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "bvhmill/base/parallel.h"

namespace bvhmill::testing {

// Each task has a thread of its own.
class Threads final : public Parallel {
 public:
  explicit Threads(int count) : count_(count) {}
  int threads() const override { return count_; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < tasks; ++i) threads.emplace_back(task, i);
    for (std::thread& thread : threads) thread.join();
    ++runs_;
  }
  int runs() const { return runs_; }

 private:
  int count_;
  int runs_ = 0;
};

}  // namespace bvhmill::testing
