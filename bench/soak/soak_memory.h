#pragma once

// The memory of a server over the time of the soak.

#include <utility>
#include <vector>

namespace bvhmill::bench {

class SoakMemory {
 public:
  // `mb` were held after `seconds`; times ascend.
  void Add(double seconds, double mb) { samples_.emplace_back(seconds, mb); }

  // Memory at a part of the time, 0 to 1: the median of a fifth of the samples
  // around it, since memory varies with the clips in flight.
  double At(double part) const;
  // The slope of the line that fits the second half best, in MB per minute.
  double SlopePerMinute() const;

 private:
  std::vector<std::pair<double, double>> samples_;
};

}  // namespace bvhmill::bench
