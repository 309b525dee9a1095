#include "bvhmill/bvh/parallel_rows.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

namespace bvhmill {
namespace {

// Small enough that a block is still in the second cache when its lines are
// counted and it is scanned.
constexpr size_t kBlockBytes = size_t{256} * 1024;
constexpr size_t kLeastBlocks = 4;

int64_t CountFeeds(std::string_view text) {
  int64_t feeds = 0;
  for (size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    ++feeds;
  }
  return feeds;
}

// One block of lines, and what became of it.
struct Block {
  // Frames before it; -1 while that is not known.
  std::atomic<int64_t> first_frame{-1};
  int64_t lines = 0;
  RowsScan scan;
};

// Threads take blocks in order. Each first counts the lines of its block, which
// brings it into the cache; adds them to the count of the block before, which
// some thread is just counting; and then scans the block straight into its
// place. Where a block is not all rows, that is the end: what later blocks
// wrote is void.
class BlockScanner {
 public:
  BlockScanner(std::string_view text, size_t width, const ReadOptions& options,
               std::span<float> out)
      : text_(text),
        width_(width),
        options_(options),
        out_(out),
        blocks_((text.size() + kBlockBytes - 1) / kBlockBytes),
        end_(blocks_.size()) {
    blocks_[0].first_frame = 0;
  }

  void Work() {
    RowsWorkspace workspace;
    for (size_t i = next_++; i < blocks_.size(); i = next_++) {
      // Behind the end, there is still a thread that may wait for the next.
      if (i > end_) {
        SetFirstFrame(i + 1, 0);
      } else if (!ScanBlock(i, &workspace)) {
        EndAt(i);
      }
    }
  }

  // What was read up to where the blocks ended.
  RowsScan Result() const {
    RowsScan result;
    for (size_t i = 0; i < std::min(end_ + 1, blocks_.size()); ++i) {
      result.rows += blocks_[i].scan.rows;
      result.bytes += blocks_[i].scan.bytes;
      result.lines += blocks_[i].scan.lines;
    }
    return result;
  }

 private:
  // Where block `i` begins: behind the first line end from the byte before its
  // place on.
  size_t Begin(size_t i) const {
    if (i == 0) return 0;
    if (i >= blocks_.size()) return text_.size();
    const size_t feed = text_.find('\n', i * kBlockBytes - 1);
    return feed == std::string_view::npos ? text_.size() : feed + 1;
  }

  void SetFirstFrame(size_t block, int64_t frame) {
    if (block == blocks_.size()) return;
    blocks_[block].first_frame = frame;
    blocks_[block].first_frame.notify_one();
  }

  void EndAt(size_t block) {
    size_t end = end_;
    while (block < end && !end_.compare_exchange_weak(end, block)) {
    }
  }

  // False if the block is not all rows.
  bool ScanBlock(size_t i, RowsWorkspace* workspace) {
    Block& block = blocks_[i];
    const size_t begin = Begin(i);
    const std::string_view text = text_.substr(begin, Begin(i + 1) - begin);
    const bool open = !text.empty() && text.back() != '\n';
    block.lines = CountFeeds(text) + (open ? 1 : 0);
    block.first_frame.wait(-1);
    const int64_t first = block.first_frame;
    SetFirstFrame(i + 1, first + block.lines);
    if (IsCancelled(options_.cancel)) return false;
    const size_t frames = out_.size() / width_;
    const size_t from = std::min(static_cast<size_t>(first), frames);
    const size_t count =
        std::min(static_cast<size_t>(block.lines), frames - from);
    block.scan =
        ScanRows(options_.target, text, width_,
                 out_.subspan(from * width_, count * width_), workspace);
    return block.scan.rows == static_cast<size_t>(block.lines) &&
           block.scan.bytes == text.size();
  }

  std::string_view text_;
  size_t width_;
  const ReadOptions& options_;
  std::span<float> out_;
  std::vector<Block> blocks_;
  std::atomic<size_t> next_{0};
  // The first block that is not all rows, or one behind the last.
  std::atomic<size_t> end_;
};

// Bytes of the blank lines at the beginning, one of which mostly is the rest of
// the line before the rows.
size_t BlankLines(std::string_view text) {
  size_t bytes = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') bytes = i + 1;
    if (!IsBlank(text[i]) && !IsLineEnd(text[i])) break;
  }
  return bytes;
}

}  // namespace

size_t ReadRowsInParallel(std::string_view text, int64_t width,
                          const ReadOptions& options, MotionReader* reader,
                          MatrixSink* sink) {
  const auto scanned = static_cast<int64_t>(kMaxScannedLineBytes);
  if (width == 0 || text.size() < kLeastBlocks * kBlockBytes ||
      options.parallel->threads() == 1 ||
      Exceeds(scanned, options.limits.max_line_bytes)) {
    return 0;
  }
  const size_t blank = BlankLines(text);
  const std::string_view rows = text.substr(blank);
  const int64_t most = reader->MostFrames(rows.size());
  if (most < 1 || rows.size() < kBlockBytes) return 0;
  reader->Skip(0, blank, CountLineEnds(text.substr(0, blank)));
  BlockScanner scanner(rows, static_cast<size_t>(width), options,
                       sink->Room(most));
  options.parallel->Run(options.parallel->threads(),
                        [&](int64_t) { scanner.Work(); });
  const RowsScan scan = scanner.Result();
  const auto frames = static_cast<int64_t>(scan.rows);
  sink->Commit(frames);
  reader->Skip(frames, scan.bytes, scan.lines);
  return blank + scan.bytes;
}

}  // namespace bvhmill
