#include "client/cli/ui/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace bvhmill::client {
namespace {

TEST(Fixed, HasNoMinusBeforeZero) {
  const struct {
    double value;
    int decimals;
    const char* text;
  } kCases[] = {
      {-0.04, 1, "0.0"},
      {-0.0, 3, "0.000"},
      {-0.4, 0, "0"},
      {-0.06, 1, "-0.1"},
      {0.04, 1, "0.0"},
      {-12.34, 1, "-12.3"},
      {-10.0, 1, "-10.0"},
      {1e300, 0, nullptr},
      {-std::numeric_limits<double>::infinity(), 1, "-inf"},
  };
  for (const auto& c : kCases) {
    const std::string text = Fixed(c.value, c.decimals);
    if (c.text == nullptr) {
      EXPECT_EQ(text.size(), 301u) << c.value;
    } else {
      EXPECT_EQ(text, c.text) << c.value;
    }
  }
}

}  // namespace
}  // namespace bvhmill::client
