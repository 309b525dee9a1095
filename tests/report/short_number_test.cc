#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

struct Case {
  double value;
  std::string_view four_digits;
  std::string_view five_digits;
};

TEST(ShortNumber, HasSoManySignificantDigits) {
  const Case cases[] = {
      {0, "0", "0"},
      {120, "120", "120"},
      {23.976023976, "23.98", "23.976"},
      {59.94005994, "59.94", "59.94"},
      {152.74999, "152.7", "152.75"},
      {-0.00123456, "-0.001235", "-0.0012346"},
      {12345.6, "1.235e+04", "12346"},
      {std::numeric_limits<float>::max(), "3.403e+38", "3.4028e+38"},
      {std::numeric_limits<double>::infinity(), "inf", "inf"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Short(c.value), c.four_digits);
    EXPECT_EQ(ShortRate(c.value), c.five_digits);
  }
}

}  // namespace
}  // namespace bvhmill
