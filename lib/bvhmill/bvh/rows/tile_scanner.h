#pragma once

// Scans the rows of one text by several threads, tile by tile, and passes the
// tiles on in order. Private to bvh/.

#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/base/ordered_sequencer.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// A tile consists of the rows of some blocks of the text. A thread does not
// need to know the number of rows before its tile until the tile is the next in
// order. Scanning ends at the first tile that is not all rows, or that has more
// rows than are allowed.
class TileScanner {
 public:
  // `text` must be whole lines, from the first row on. At most `most_frames`
  // frames are taken. All arguments must outlive the scanner.
  TileScanner(std::string_view text, int64_t width, int64_t most_frames,
              const ReadOptions& options, TileReceiver* receiver)
      : text_(text),
        width_(static_cast<size_t>(width)),
        most_frames_(most_frames),
        options_(options),
        receiver_(*receiver) {}

  // Number of tiles.
  int64_t tiles() const;
  // The work of one worker, with its own buffer `values`. Returns when no work
  // is left.
  void Work(int worker, UninitializedVector<float>* values);

  // The rows that were passed on.
  const RowsScan& taken() const { return taken_; }
  // True if the receiver has stopped the scanning.
  bool refused() const { return refused_; }

 private:
  class TilePlacer;

  // Index where tile `i` begins: after the first line end from the byte before
  // i * (bytes of a tile) on.
  size_t Begin(int64_t i) const;
  bool Scan(int64_t tile, UninitializedVector<float>* values,
            RowsScan* scan) const;
  bool HandOn(int worker, const RowsScan& scan, std::span<const float> values);

  std::string_view text_;
  size_t width_;
  int64_t most_frames_;
  const ReadOptions& options_;
  TileReceiver& receiver_;
  OrderedSequencer sequencer_;
  // Written only by the thread whose tile is the next in order.
  RowsScan taken_;
  bool refused_ = false;
};

}  // namespace bvhmill
