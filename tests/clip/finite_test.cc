// Values that are not finite, at each place of a vector of any length.

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {
namespace {

using Limits = std::numeric_limits<float>;

TEST(Finite, FindsEachValueThatIsNot) {
  const float bad[] = {Limits::quiet_NaN(), -Limits::quiet_NaN(),
                       Limits::infinity(), -Limits::infinity()};
  for (size_t count = 1; count < 70; ++count) {
    std::vector<float> values(count, -Limits::max());
    values[count / 2] = Limits::denorm_min();
    EXPECT_TRUE(AreFinite(values)) << count;
    for (size_t i = 0; i < count; ++i) {
      for (const float value : bad) {
        const float good = std::exchange(values[i], value);
        EXPECT_FALSE(AreFinite(values)) << count << " " << i;
        values[i] = good;
      }
    }
  }
  EXPECT_TRUE(AreFinite({}));
}

}  // namespace
}  // namespace bvhmill::testing
