#pragma once

// Measures the time of stages. Private to pipeline/.

#include <chrono>

namespace bvhmill {

// Adds the time of its life to `*total`.
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

}  // namespace bvhmill
