#pragma once

// The memory of a server over the time of the soak.

#include <utility>
#include <vector>

namespace bvhmill::bench {

class SoakMemory {
 public:
  // `mb` were held after `seconds`; times ascend.
  void Add(double seconds, double mb) { samples_.emplace_back(seconds, mb); }

  // About that part of the time, 0 to 1: the median of a fifth of the samples
  // around it, since it goes up and down with what is in flight.
  double At(double part) const;
  // The line that fits the second half best, in MB a minute.
  double SlopePerMinute() const;

 private:
  std::vector<std::pair<double, double>> samples_;
};

}  // namespace bvhmill::bench
