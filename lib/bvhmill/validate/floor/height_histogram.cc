#include "bvhmill/validate/floor/height_histogram.h"

#include <cstddef>

namespace bvhmill {

double HeightHistogram::Quantile(double share) const {
  const double wanted = share * static_cast<double>(count_);
  int64_t below = 0;
  for (size_t i = 0; i < bins_.size(); ++i) {
    below += bins_[i];
    if (below > 0 && static_cast<double>(below) >= wanted) {
      return (static_cast<double>(i) + 0.5) * kBinWidth - kHighest;
    }
  }
  return 0;
}

int64_t HeightHistogram::CountBelow(double height) const {
  const double end =
      std::clamp((height + kHighest) / kBinWidth, 0.0, double{kBins - 1});
  int64_t below = 0;
  for (size_t i = 0; i < static_cast<size_t>(end); ++i) below += bins_[i];
  return below;
}

// The loop has no branches, so that compilers turn it into vectors.
void HeightHistogram::BinsOf(const float* places, size_t count, float scale,
                             int32_t* bins) {
  constexpr auto kShift = static_cast<float>(kHighest);
  constexpr auto kPerHeight = static_cast<float>(1 / kBinWidth);
  constexpr float kLast = kBins - 1;
  for (size_t i = 0; i < count; ++i) {
    const float bin = (scale * places[i] + kShift) * kPerHeight;
    bins[i] = static_cast<int32_t>(std::min(std::max(bin, 0.0F), kLast));
  }
}

}  // namespace bvhmill
