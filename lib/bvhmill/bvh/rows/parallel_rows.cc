#include "bvhmill/bvh/rows/parallel_rows.h"

#include <algorithm>

#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/rows/block_scanner.h"

namespace bvhmill {
namespace {

// Shorter texts are not faster with a second thread.
constexpr size_t kLeastBytes = size_t{1} << 20;
constexpr size_t kLeastBlockBytes = size_t{16} * 1024;

// The largest possible size of blocks, so that threads meet rarely. A block
// begins anywhere and continues to the end of a line, and lines differ in
// length, so space for long lines is reserved. 0 if the lines are too long.
size_t BlockBytes(std::string_view rows) {
  const std::string_view sample = rows.substr(0, kMaxRowsBlockBytes);
  size_t longest = 0;
  for (size_t at = 0; at < sample.size();) {
    const size_t end = std::min(sample.find('\n', at), sample.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  // Twice the longest one in the sample, since there may be longer ones.
  const size_t reserve = 2 * longest + 2;
  return reserve + kLeastBlockBytes < kMaxRowsBlockBytes
             ? kMaxRowsBlockBytes - reserve
             : 0;
}

// The number of rows that `text` may have, for which space is taken at once.
int64_t MostRows(std::string_view text, const MotionReader& reader) {
  const int64_t most = reader.MaxFrames(text.size());
  const bool may_be_all = most == reader.declared() - reader.frames();
  return may_be_all ? most : std::min(most, CountLineEnds(text));
}

// Number of bytes of the blank lines at the beginning of `text`. The first one
// is usually the rest of the line before the rows.
size_t BlankLines(std::string_view text) {
  size_t bytes = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') bytes = i + 1;
    if (!IsBlank(text[i]) && !IsLineEnd(text[i])) break;
  }
  return bytes;
}

}  // namespace

size_t ReadRowsInParallel(std::string_view text, const ReadOptions& options,
                          MotionReader* reader, MatrixSink* sink) {
  const auto scanned = static_cast<int64_t>(kMaxScannedLineBytes);
  const int64_t width = sink->width();
  if (width == 0 || text.size() < kLeastBytes || !reader->is_regular() ||
      options.parallel == nullptr || options.parallel->threads() == 1 ||
      Exceeds(scanned, options.limits.max_line_bytes)) {
    return 0;
  }
  const size_t blank = BlankLines(text);
  const std::string_view rows = text.substr(blank);
  const int64_t most = MostRows(rows, *reader);
  const size_t block_bytes = BlockBytes(rows);
  if (most < 1 || block_bytes == 0) return 0;
  const std::span<float> room = sink->NextRows(most);
  if (room.empty()) return 0;
  const std::string_view before = text.substr(0, blank);
  reader->Skip(0, before, CountLineEnds(before));
  BlockScanner scanner(rows, block_bytes, static_cast<size_t>(width), options,
                       room);
  options.parallel->Run(options.parallel->threads(), [&](int64_t i) {
    scanner.Work(i % 2 == 0 ? Side::kFront : Side::kBack);
  });
  const RowsScan scan = scanner.Result();
  const auto frames = static_cast<int64_t>(scan.rows);
  sink->Commit(frames);
  reader->Skip(frames, rows.substr(0, scan.bytes), scan.lines);
  return blank + scan.bytes;
}

}  // namespace bvhmill
