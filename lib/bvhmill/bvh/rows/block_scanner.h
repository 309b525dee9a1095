#pragma once

// Threads that scan the rows of one text from both of its ends. Private to
// bvh/.

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/read_options.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Blocks are taken from both ends of the text.
enum class Side { kFront, kBack };

// One block of lines, and what became of it.
struct alignas(64) Block {
  // Frames before it, for the front, and up to its end, for the back; -1 while
  // that is not known.
  std::atomic<int64_t> first_frame{-1};
  std::atomic<int64_t> end_frame{-1};
  RowsScan scan;
  // All of it was read, and its values stand where they belong if the blocks on
  // its side do.
  bool is_whole = false;
};

// Half of the threads take blocks from the beginning on, and half from the end
// back, until they meet, so that two threads never wait for each other. Each
// counts the rows of its block as the first stage of scanning it; adds them to
// those of the blocks of its side, the last of which some thread is just
// counting or has counted; and then writes its values straight to their place.
// The place of the last block is known if the file has as many frames as it
// says; if it has fewer, the values are moved. Where a block of the front is
// not all rows, that is the end; where one of the back is not, what the back
// wrote is void, and its threads go to the front.
class BlockScanner {
 public:
  // `text`: whole lines, from the first row on. `out`: the place for as many
  // frames as the file says. Both must outlive it, as must what `options`
  // names. `options.parallel` must be set.
  BlockScanner(std::string_view text, size_t block_bytes, size_t width,
               const ReadOptions& options, std::span<float> out);

  // What each thread does, from a side that it chooses; returns when there is
  // no more to do.
  void Work(Side side);

  // What was read, up to the first block that was not; its values are brought
  // together.
  RowsScan Result();

 private:
  // Blocks before `front` and from `back` on are taken.
  struct Taken {
    uint32_t front = 0;
    uint32_t back = 0;
  };

  class BlockPlacer;

  // The next block for a thread, and the side that it now works on; false if
  // there are no more.
  bool Take(Side* side, size_t* block);
  void Close(Side side);
  // Where block `i` begins: behind the first line end from the byte before its
  // place on.
  size_t Begin(size_t i) const;
  std::span<float> Reserve(Side side, size_t block, int64_t rows);
  // Ask for memory for the values some way behind or before those at `values`.
  // The system clears a huge page when it is first written to; threads that
  // come to the same new page together would both wait for that, so one of them
  // gets each page before any comes there.
  void TouchBehind(size_t values);
  void TouchBefore(size_t values);
  // False if the block is not all rows, or not all of them fit.
  bool ScanBlock(size_t i, BlockPlacer* placer);
  // The block that a thread that has the one at `begin` probably takes next.
  std::string_view Ahead(size_t begin, Side side) const;
  // Brings the last `back` frames behind the first `front` ones.
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
  // Frames for which there is no text yet; below 0 if there is too much text.
  std::atomic<int64_t> room_;
  // Values before the first and from the last huge page on that no thread has
  // touched ahead.
  std::atomic<size_t> touched_{0};
  std::atomic<size_t> untouched_end_;
};

}  // namespace bvhmill
