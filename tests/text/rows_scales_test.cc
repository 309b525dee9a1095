// The table of powers of ten, against the conversion of the standard library.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <string>

#include "bvhmill/text/rows_targets.h"

namespace bvhmill::testing {
namespace {

TEST(RowScales, AreThePowersOfTenAroundTheirMantissas) {
  static_assert(std::size(kScales) == kMaxExponent - kMinExponent + 1);
  for (int exponent = kMinExponent; exponent <= kMaxExponent; ++exponent) {
    const std::string power =
        "1e" + std::to_string(exponent - kMantissaDecimals);
    EXPECT_EQ(kScales[exponent - kMinExponent],
              std::strtod(power.c_str(), nullptr))
        << power;
  }
}

}  // namespace
}  // namespace bvhmill::testing
