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
  const auto end = static_cast<ptrdiff_t>(BinOf(height));
  int64_t below = 0;
  for (ptrdiff_t i = 0; i < end; ++i) below += bins_[static_cast<size_t>(i)];
  return below;
}

}  // namespace bvhmill
