#include "bvhmill/text/row.h"

#include "bvhmill/text/lines.h"

namespace bvhmill {

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

}  // namespace bvhmill
