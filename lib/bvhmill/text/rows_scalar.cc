#include <algorithm>
#include <vector>

#include "bvhmill/text/lines.h"
#include "bvhmill/text/row.h"
#include "bvhmill/text/rows_targets.h"

namespace bvhmill {

RowsScan ScanRowsScalar(std::string_view text, size_t width,
                        std::span<float> out) {
  RowsScan scan;
  LineReader lines(text, {});
  Line line;
  while ((scan.rows + 1) * width <= out.size() && lines.Next(&line)) {
    if (line.text.size() > kMaxScannedLineBytes) return scan;
    const LineScan row =
        ScanLine(line.text, 0, out.subspan(scan.rows * width, width));
    const bool is_blank = row.values == 0 && row.end == RowEnd::kLineEnd;
    const bool is_row = row.values == width && row.end == RowEnd::kLineEnd &&
                        !row.has_non_finite;
    if (!is_blank && !is_row) return scan;
    scan.rows += is_row ? 1 : 0;
    scan.bytes = lines.taken();
    scan.lines = lines.next().line - 1;
  }
  return scan;
}

RowsScan ScanRowsBlockScalar(std::string_view block, size_t width,
                             RowsPlacer* placer) {
  // A value takes at least two bytes, except for the last one of the text. One
  // extra row of space lets ScanRowsScalar reach the end of the text.
  std::vector<float> values((block.size() + 1) / 2 + width);
  const RowsScan scan = ScanRowsScalar(block, width, values);
  if (scan.bytes < block.size()) return {};
  const std::span<float> room = placer->Reserve(scan.rows);
  if (room.size() < scan.rows * width) return {};
  std::copy_n(values.begin(), scan.rows * width, room.begin());
  return scan;
}

}  // namespace bvhmill
