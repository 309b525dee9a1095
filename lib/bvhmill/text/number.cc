#include "bvhmill/text/number.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

size_t SkipDigits(std::string_view s, size_t i) {
  while (i < s.size() && IsDigit(s[i])) ++i;
  return i;
}

size_t SkipSign(std::string_view s, size_t i) {
  return i < s.size() && (s[i] == '+' || s[i] == '-') ? i + 1 : i;
}

// True if `s`, which has no sign, matches the grammar.
bool IsUnsignedDecimal(std::string_view s) {
  size_t i = SkipDigits(s, 0);
  size_t digits = i;
  if (i < s.size() && s[i] == '.') {
    const size_t end = SkipDigits(s, i + 1);
    digits += end - (i + 1);
    i = end;
  }
  if (digits == 0) return false;
  if (i < s.size() && Lower(s[i]) == 'e') {
    const size_t begin = SkipSign(s, i + 1);
    i = SkipDigits(s, begin);
    if (i == begin) return false;
  }
  return i == s.size();
}

bool StartsWithWord(std::string_view s, std::string_view lower) {
  if (s.size() < lower.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    if (Lower(s[i]) != lower[i]) return false;
  }
  return true;
}

// Recognizes the forms that C libraries print: nan, nan(ind), 1.#QNAN,
// 1.#IND00, inf, infinity, 1.#INF00. `s` has no sign. Returns +inf, nan, or 0
// if `s` is none of them.
double NotFiniteValue(std::string_view s) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (StartsWithWord(s, "1.#inf")) return kInf;
  if (StartsWithWord(s, "1.#ind") || StartsWithWord(s, "1.#qnan") ||
      StartsWithWord(s, "1.#snan")) {
    return kNan;
  }
  if (StartsWithWord(s, "inf") && (s.size() == 3 || s.size() == 8)) {
    return s.size() == 3 || StartsWithWord(s, "infinity") ? kInf : 0;
  }
  if (StartsWithWord(s, "nan") &&
      (s.size() == 3 || (s[3] == '(' && s.back() == ')'))) {
    return kNan;
  }
  return 0;
}

// The size of the first number of `word`, up to the sign of the next one. The
// sign of an exponent is part of its number.
size_t FirstNumberSize(std::string_view word) {
  for (size_t i = 1; i < word.size(); ++i) {
    const bool is_sign = word[i] == '-' || word[i] == '+';
    if (is_sign && (word[i - 1] | 0x20) != 'e') return i;
  }
  return word.size();
}

}  // namespace

Number ParseNumber(std::string_view word) {
  const size_t sign = SkipSign(word, 0);
  const bool negative = sign == 1 && word[0] == '-';
  const std::string_view magnitude = word.substr(sign);
  double value = 0;
  if (!IsUnsignedDecimal(magnitude)) {
    value = NotFiniteValue(magnitude);
    if (value == 0) return {};
    return {NumberKind::kNotFinite, negative ? -value : value};
  }
  fast_float::from_chars(magnitude.data(), magnitude.data() + magnitude.size(),
                         value);
  const bool fits = std::isfinite(static_cast<float>(value));
  return {fits ? NumberKind::kFinite : NumberKind::kOutOfRange,
          negative ? -value : value};
}

LineScan ScanLine(std::string_view line, size_t start, std::span<float> out) {
  LineScan scan;
  size_t index = start;
  while (true) {
    const std::string_view word = NextWord(line, &index);
    scan.stop = index - word.size();
    if (word.empty()) return scan;
    if (scan.values == out.size()) {
      scan.end = RowEnd::kFull;
      return scan;
    }
    const Number number = ParseNumber(word);
    if (number.kind == NumberKind::kInvalid) {
      scan.end = RowEnd::kNotANumber;
      return scan;
    }
    scan.has_non_finite |= number.kind != NumberKind::kFinite;
    out[scan.values++] = static_cast<float>(number.value);
  }
}

size_t ScanGlued(std::string_view word, std::span<float> out) {
  size_t numbers = 0;
  while (!word.empty()) {
    const size_t size = FirstNumberSize(word);
    const Number number = ParseNumber(word.substr(0, size));
    if (number.kind != NumberKind::kFinite) return 0;
    if (numbers < out.size()) out[numbers] = static_cast<float>(number.value);
    ++numbers;
    word.remove_prefix(size);
  }
  return numbers;
}

GluedScan ScanGluedLine(std::string_view line, std::span<float> out) {
  GluedScan scan;
  size_t index = 0;
  while (true) {
    const std::string_view word = NextWord(line, &index);
    if (word.empty()) return scan;
    const size_t numbers =
        ScanGlued(word, out.subspan(std::min(scan.values, out.size())));
    if (numbers == 0) return {};
    if (numbers > 1 && scan.numbers == 0) {
      scan.begin = index - word.size();
      scan.size = word.size();
      scan.numbers = numbers;
    }
    scan.values += numbers;
  }
}

}  // namespace bvhmill
