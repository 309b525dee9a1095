#include "bench/soak/soak_memory.h"

#include <algorithm>
#include <cstddef>

namespace bvhmill::bench {

double SoakMemory::At(double part) const {
  if (samples_.empty()) return 0;
  const auto size = static_cast<std::ptrdiff_t>(samples_.size());
  const std::ptrdiff_t width = std::max<std::ptrdiff_t>(size / 5, 1);
  const auto middle =
      static_cast<std::ptrdiff_t>(part * static_cast<double>(size));
  const std::ptrdiff_t first =
      std::clamp<std::ptrdiff_t>(middle - width / 2, 0, size - width);
  std::vector<double> some;
  for (std::ptrdiff_t i = first; i < first + width; ++i) {
    some.push_back(samples_[static_cast<size_t>(i)].second);
  }
  std::sort(some.begin(), some.end());
  return some[some.size() / 2];
}

double SoakMemory::SlopePerMinute() const {
  double count = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (size_t i = samples_.size() / 2; i < samples_.size(); ++i) {
    const auto& [seconds, mb] = samples_[i];
    count += 1;
    x += seconds;
    y += mb;
    xx += seconds * seconds;
    xy += seconds * mb;
  }
  const double spread = count * xx - x * x;
  return spread == 0 ? 0 : (count * xy - x * y) / spread * 60;
}

}  // namespace bvhmill::bench
