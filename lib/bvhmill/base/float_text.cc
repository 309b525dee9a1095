#include "bvhmill/base/float_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace bvhmill {
namespace {

// A float has 24 bits and 10^9 takes 21 bits besides its factor 2^9, so the
// product of both is exact in a double.
constexpr int kMostDecimals = 9;
constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// The nearest whole number, the even one of two; for values below 2^51.
double Whole(double value) {
  constexpr double kRounder = 0x1.8p52;
  return (value + kRounder) - kRounder;
}

// Writes `number` with `count` digits, in pairs; returns their end.
char* PutDigits(uint32_t number, int count, char* out) {
  static constexpr char kPairs[] =
      "0001020304050607080910111213141516171819"
      "2021222324252627282930313233343536373839"
      "4041424344454647484950515253545556575859"
      "6061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  char* const end = out + count;
  for (char* at = end; count >= 2; count -= 2, number /= 100) {
    at -= 2;
    std::memcpy(at, kPairs + size_t{2} * (number % 100), 2);
  }
  if (count == 1) *out = static_cast<char>('0' + number);
  return end;
}

int DigitsOf(uint32_t number) {
  int count = 1;
  for (uint64_t power = 10; number >= power; power *= 10) ++count;
  return count;
}

// Writes `magnitude` < 2^31 rounded to `decimals` <= kMostDecimals.
char* PutRounded(bool is_negative, double magnitude, int decimals, char* out) {
  const auto power = static_cast<uint64_t>(kPowers[decimals]);
  auto whole = static_cast<uint32_t>(magnitude);
  auto rest = static_cast<uint64_t>(Whole(magnitude * kPowers[decimals])) -
              whole * power;
  if (rest >= power) {
    rest -= power;
    ++whole;
  }
  if (is_negative) *out++ = '-';
  out = PutDigits(whole, DigitsOf(whole), out);
  if (decimals == 0) return out;
  *out++ = '.';
  return PutDigits(static_cast<uint32_t>(rest), decimals, out);
}

}  // namespace

char* WriteShortest(float value, DecimalsGuess* guess, char* out) {
  const float magnitude = std::fabs(value);
  const auto bits = std::bit_cast<uint32_t>(magnitude);
  const auto slow = [&] {
    return std::to_chars(out, out + kMaxShortestText, value).ptr;
  };
  // Others may be shorter with an exponent, and the floats around a power of
  // two are not equally far from it.
  const bool is_plain =
      magnitude >= 1e-3F && magnitude < 1e5F && (bits & 0x7FFFFF) != 0;
  if (!is_plain) return slow();
  const double exact = magnitude;
  // Half of the distance to the next float: a text nearer than that reads back
  // as the value. The nearest text with k decimals is off by error(k) / 10^k.
  const auto exponent = static_cast<uint64_t>(bits >> 23);
  const auto half = std::bit_cast<double>((exponent - 127 - 24 + 1023) << 52);
  const auto error = [&](int k) {
    const double scaled = exact * kPowers[k];
    return std::fabs(Whole(scaled) - scaled);
  };
  const auto fits = [&](int k) { return error(k) < half * kPowers[k]; };
  int8_t& decimals = guess->decimals[exponent % guess->decimals.size()];
  int k = decimals;
  while (!fits(k)) {
    if (++k > kMostDecimals) return slow();
  }
  while (k > 0 && fits(k - 1)) --k;
  // Half way: it depends on the last bit whether that reads back.
  if (k > 0 && error(k - 1) == half * kPowers[k - 1]) return slow();
  decimals = static_cast<int8_t>(k);
  return PutRounded(value < 0, exact, k, out);
}

char* WriteFixed(float value, int decimals, char* out) {
  const float magnitude = std::fabs(value);
  if (decimals <= kMostDecimals && magnitude < 1e6F) {
    return PutRounded(std::signbit(value), magnitude, decimals, out);
  }
  return std::to_chars(out, out + kMaxFixedText, value,
                       std::chars_format::fixed, decimals)
      .ptr;
}

}  // namespace bvhmill
