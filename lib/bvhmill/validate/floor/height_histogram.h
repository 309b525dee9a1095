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
  // `bin` is one of BinsOf.
  void AddToBin(int32_t bin) {
    ++bins_[static_cast<size_t>(bin)];
    ++count_;
  }
  // Writes the bin of each height scale * places[i]. The scale and the places
  // must be finite.
  static void BinsOf(const float* places, size_t count, float scale,
                     int32_t* bins);
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
  std::array<int32_t, kBins> bins_ = {};
  int64_t count_ = 0;
};

}  // namespace bvhmill
