#pragma once

// Scans the rows of one text by several threads, from both of its ends. Private
// to bvh/.

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/read_options.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// The end of the text from which a thread takes blocks.
enum class Side { kFront, kBack };

// One block of lines and its result.
struct alignas(64) Block {
  // Index of the first frame of the block, which a thread of the front needs,
  // and index after its last frame, which a thread of the back needs; -1 while
  // not known.
  std::atomic<int64_t> first_frame{-1};
  std::atomic<int64_t> end_frame{-1};
  RowsScan scan;
  // True if all of the block was read. Its values are in the right place if the
  // same is true for all earlier blocks of its side.
  bool is_whole = false;
};

// Half of the threads take blocks from the beginning on, the other half from
// the end backwards, until they meet. With two threads, neither waits for the
// other.
//
// For each block, a thread does this:
// * It counts the rows of the block, which is the first stage of scanning it.
// * It adds them to the rows of the earlier blocks of its side. Some thread has
//   counted or is now counting the last of these.
// * It writes the values directly to their place.
//
// The last block is placed as if the text had as many frames as it may have. If
// it has fewer, the values are moved at the end. A front block that
// is not all rows ends the scan. A back block that is not all rows makes
// everything that the back wrote invalid, and the threads of the back continue
// at the front.
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
