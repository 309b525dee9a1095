#pragma once

// Heights of feet, counted in bins, so that shares of frames are known after
// one pass in constant memory. Private to validate/.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bvhmill {

// Heights are in reaches. Those beyond +-kHighest count as kHighest.
class HeightHistogram {
 public:
  static constexpr double kHighest = 4;
  static constexpr int kBins = 2048;
  // The width of a bin: 0.004 reaches, about 7 mm of a person.
  static constexpr double kBinWidth = 2 * kHighest / kBins;

  void Clear() { *this = {}; }
  // `height` must be a number.
  void Add(double height) {
    ++bins_[static_cast<size_t>(BinOf(height))];
    ++count_;
  }
  int64_t count() const { return count_; }
  // The height that the share `share` of all heights is below: the middle of a
  // bin. 0 without heights.
  double Quantile(double share) const;
  // True if `height`, a result of Quantile, stands for all heights beyond it.
  static bool IsAtEnd(double height) {
    return std::fabs(height) > kHighest - kBinWidth;
  }
  // The number of heights in bins that are wholly below `height`.
  int64_t CountBelow(double height) const;

 private:
  static int BinOf(double height) {
    const double bin = (height + kHighest) / kBinWidth;
    return static_cast<int>(std::clamp(bin, 0.0, double{kBins - 1}));
  }

  std::array<int32_t, kBins> bins_ = {};
  int64_t count_ = 0;
};

}  // namespace bvhmill
