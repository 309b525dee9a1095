#pragma once

// A Parallel of the calling thread alone.

#include "bvhmill/base/parallel.h"

namespace bvhmill::testing {

class OneThread final : public Parallel {
 public:
  int threads() const override { return 1; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
};

}  // namespace bvhmill::testing
