#include "bvhmill/text/row.h"

#include <algorithm>

#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

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
