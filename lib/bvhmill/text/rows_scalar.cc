#include <algorithm>

#include "bvhmill/text/lines.h"
#include "bvhmill/text/row.h"
#include "bvhmill/text/rows_targets.h"

namespace bvhmill {

int64_t CountLineEnds(std::string_view text) {
  const auto feeds = std::count(text.begin(), text.end(), '\n');
  int64_t returns = 0;
  for (size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    returns += text.substr(at + 1, 1) == "\n" ? 0 : 1;
  }
  return feeds + returns;
}

RowsScan ScanRowsScalar(std::string_view text, size_t width,
                        std::span<float> out) {
  RowsScan scan;
  LineReader lines(text, {});
  Line line;
  while ((scan.rows + 1) * width <= out.size() && lines.Next(&line)) {
    if (line.text.size() > kMaxScannedLineBytes) return scan;
    const RowScan row =
        ScanRow(line.text, 0, out.subspan(scan.rows * width, width));
    const bool is_blank = row.values == 0 && row.end == RowEnd::kLine;
    const bool is_row =
        row.values == width && row.end == RowEnd::kLine && !row.has_non_finite;
    if (!is_blank && !is_row) return scan;
    scan.rows += is_row ? 1 : 0;
    scan.bytes = static_cast<size_t>(lines.next().offset);
    scan.lines = lines.next().line - 1;
  }
  return scan;
}

}  // namespace bvhmill
