#pragma once

// Threads that scan the rows of one text, tile by tile, and hand the tiles on
// in order. Private to bvh/.

#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/base/ordered_sequencer.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// A tile is the rows of some blocks of the text. No thread needs to know how
// many rows are before its tile until its turn comes. Where a tile is not all
// rows, or has more of them than there may be, that is the end.
class TileScanner {
 public:
  // `text`: whole lines, from the first row on. No more than `most_frames`
  // are taken. All must outlive it.
  TileScanner(std::string_view text, int64_t width, int64_t most_frames,
              const ReadOptions& options, TileReceiver* receiver)
      : text_(text),
        width_(static_cast<size_t>(width)),
        most_frames_(most_frames),
        options_(options),
        receiver_(*receiver) {}

  // Tiles that there are work for.
  int64_t tiles() const;
  // What each worker does, in a buffer of its own, until there is no more to
  // do.
  void Work(int worker, UninitializedVector<float>* values);

  // What was handed on.
  const RowsScan& taken() const { return taken_; }
  // The receiver has stopped it.
  bool refused() const { return refused_; }

 private:
  class TilePlacer;

  // Where tile `i` begins: behind the first line end from the byte before its
  // place on.
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
  // Of the thread whose turn it is.
  RowsScan taken_;
  bool refused_ = false;
};

}  // namespace bvhmill
