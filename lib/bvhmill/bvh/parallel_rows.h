#pragma once

// Reads the regular rows of a long text with several threads, from both of its
// ends. Rows that are not regular are left to MotionReader.
//
//   size_t taken = ReadRowsInParallel(lines, options, &rows, &sink);
//   taken += rows.Push(lines.substr(taken), /*ends_file=*/false);

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/motion.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Reads rows from the beginning of `text`, which must be whole lines, into the
// sink of `reader`, up to the first line that is not exactly one frame, and
// tells `reader` how far it got. Returns the number of bytes taken; 0 if
// several threads are of no use, or if options.parallel is null.
size_t ReadRowsInParallel(std::string_view text, const ReadOptions& options,
                          MotionReader* reader, MatrixSink* sink);

// The end of the text from which a thread takes blocks.
enum class Side { kFront, kBack };

// One block of lines and its result.
struct alignas(64) Block {
  // Index of the first frame of the block, which a thread at the front needs,
  // and index after its last frame, which a thread at the back needs; -1 while
  // unknown.
  std::atomic<int64_t> first_frame{-1};
  std::atomic<int64_t> end_frame{-1};
  RowsScan scan;
  // True if all of the block was read. Its values are in the right place if the
  // same is true for all earlier blocks of its side.
  bool is_whole = false;
};

// Scans the blocks of a text. Half of the threads take blocks from the
// beginning on, the other half from the end backwards, until they meet;
// parallel_rows.cc explains the algorithm.
class BlockScanner {
 public:
  // `text` must be whole lines and begin with a row. `out` must have space for
  // the most frames that it may have. Both, and everything that
  // `options` points to, must outlive the scanner. `options.parallel` must be
  // set.
  BlockScanner(std::string_view text, size_t block_bytes, size_t width,
               const ReadOptions& options, std::span<float> out);

  // The work of one thread, which starts at `side`. Returns when no work is
  // left.
  void Work(Side side);

  // The rows read up to the first block that was not read completely. Moves
  // their values together. Call after all threads have returned.
  RowsScan Result();

 private:
  // Blocks before `front` and from `back` on are taken.
  struct Taken {
    uint32_t front = 0;
    uint32_t back = 0;
  };

  class BlockPlacer;

  // Takes the next block for a thread, and sets the side that it now works on.
  // False if no block is left.
  bool Take(Side* side, size_t* block);
  void Close(Side side);
  // Index where block `i` begins: after the first line end from byte i *
  // block_bytes_ - 1 on.
  size_t Begin(size_t i) const;
  std::span<float> Reserve(Side side, size_t block, int64_t rows);
  // Asks the system for memory for the values some distance after, or before,
  // those at `values`. The system clears a huge page at its first write.
  // Threads that write to the same new page at the same time would all wait for
  // that. So one of them gets each page before any thread writes to it.
  void TouchAfter(size_t values);
  void TouchBefore(size_t values);
  // False if the block is not all rows, or if not all rows fit.
  bool ScanBlock(size_t i, BlockPlacer* placer);
  // The block that the thread with the block at `begin` probably takes next.
  std::string_view Ahead(size_t begin, Side side) const;
  // Moves the last `back` frames directly after the first `front` frames.
  void MoveTogether(size_t front, size_t back);

  std::string_view text_;
  size_t block_bytes_;
  size_t width_;
  const ReadOptions& options_;
  std::span<float> out_;
  std::vector<Block> blocks_;
  std::atomic<Taken> taken_;
  std::atomic<bool> is_front_closed_ = false;
  std::atomic<bool> is_back_closed_ = false;
  // Frames of `out` that no block has reserved; below 0 if the text has more
  // frames than `out`.
  std::atomic<int64_t> room_;
  // Index of the first value after the huge pages requested from the front, and
  // of the first value of those requested from the back.
  std::atomic<size_t> touched_{0};
  std::atomic<size_t> untouched_end_;
};

}  // namespace bvhmill
