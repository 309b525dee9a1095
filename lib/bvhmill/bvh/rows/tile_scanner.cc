#include "bvhmill/bvh/rows/tile_scanner.h"

#include <algorithm>

#include "bvhmill/bvh/tile_reader.h"

namespace bvhmill {
namespace {

// The text and the values of a tile, and the results made from them, fit into
// the second-level cache together.
constexpr size_t kTileBytes = 4 * kMaxRowsBlockBytes;
static_assert(kTileBytes / 2 == size_t{kMaxTileValues});

// Size of the largest run of whole lines at the beginning of `text` that fits
// into a block; 0 if the first line is longer.
size_t BlockOfLines(std::string_view text) {
  if (text.size() <= kMaxRowsBlockBytes) return text.size();
  const size_t feed = text.rfind('\n', kMaxRowsBlockBytes - 1);
  return feed == std::string_view::npos ? 0 : feed + 1;
}

}  // namespace

// Writes the rows of each block after those of the block before.
class TileScanner::TilePlacer final : public RowsPlacer {
 public:
  TilePlacer(std::span<float> values, size_t width)
      : values_(values), width_(width) {}
  std::span<float> Reserve(size_t rows) override {
    const size_t count = rows * width_;
    if (count > values_.size() - used_) return {};
    const std::span<float> place = values_.subspan(used_, count);
    used_ += count;
    return place;
  }

 private:
  std::span<float> values_;
  size_t width_;
  size_t used_ = 0;
};

int64_t TileScanner::tiles() const {
  return static_cast<int64_t>((text_.size() + kTileBytes - 1) / kTileBytes);
}

size_t TileScanner::Begin(int64_t i) const {
  const size_t at = static_cast<size_t>(i) * kTileBytes;
  if (at == 0) return 0;
  if (at >= text_.size()) return text_.size();
  const size_t feed = text_.find('\n', at - 1);
  return feed == std::string_view::npos ? text_.size() : feed + 1;
}

// False if the tile is not all rows.
bool TileScanner::Scan(int64_t tile, UninitializedVector<float>* values,
                       RowsScan* scan) const {
  const size_t begin = Begin(tile);
  std::string_view rest = text_.substr(begin, Begin(tile + 1) - begin);
  // A value takes at least two bytes, except for the last one of the text.
  values->resize((rest.size() + 1) / (2 * width_) * width_);
  TilePlacer placer(*values, width_);
  while (!rest.empty()) {
    const std::string_view block = rest.substr(0, BlockOfLines(rest));
    rest.remove_prefix(block.size());
    if (block.empty()) return false;
    const RowsScan part = ScanRowsBlock(options_.target, block, width_, &placer,
                                        rest.substr(0, kMaxRowsBlockBytes),
                                        ThreadRowsWorkspace());
    if (part.bytes != block.size()) return false;
    scan->rows += part.rows;
    scan->bytes += part.bytes;
    scan->lines += part.lines;
  }
  return true;
}

bool TileScanner::HandOn(int worker, const RowsScan& scan,
                         std::span<const float> values) {
  const auto first = static_cast<int64_t>(taken_.rows);
  const auto frames = static_cast<int64_t>(scan.rows);
  if (frames > most_frames_ - first) return false;
  if (frames > 0 && !receiver_.OnTileInOrder(worker, first, frames, values)) {
    refused_ = true;
  }
  taken_.rows += scan.rows;
  taken_.bytes += scan.bytes;
  taken_.lines += scan.lines;
  return !refused_;
}

void TileScanner::Work(int worker, UninitializedVector<float>* values) {
  const int64_t end = tiles();
  for (int64_t i = sequencer_.Take(); i < end; i = sequencer_.Take()) {
    const OrderedSequencer::Slot turn(&sequencer_, i);
    RowsScan scan;
    const bool good = !sequencer_.stopped() && !IsCancelled(options_.cancel) &&
                      Scan(i, values, &scan);
    const auto rows =
        std::span<const float>(*values).first(good ? scan.rows * width_ : 0);
    if (good && scan.rows > 0) {
      receiver_.OnTile(worker, static_cast<int64_t>(scan.rows), rows);
    }
    turn.Wait();
    if (sequencer_.stopped()) continue;
    if (!good || !HandOn(worker, scan, rows)) sequencer_.Stop();
  }
}

}  // namespace bvhmill
