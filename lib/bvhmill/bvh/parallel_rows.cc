#include "bvhmill/bvh/parallel_rows.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {
namespace {

// Less text than this is not worth a second thread.
constexpr size_t kLeastBytes = size_t{1} << 20;
constexpr size_t kLeastBlockBytes = size_t{16} * 1024;

// One block of lines, and what became of it.
struct Block {
  // Frames before it; -1 while that is not known.
  std::atomic<int64_t> first_frame{-1};
  RowsScan scan;
};

// Threads take blocks in order. Each counts the rows of its block as the first
// stage of scanning it; adds them to those of the blocks before, the last of
// which some thread is just counting or has counted; and then writes its values
// straight to their place. Where a block is not all rows, that is the end: what
// later blocks wrote is void.
class BlockScanner {
 public:
  BlockScanner(std::string_view text, size_t block_bytes, size_t width,
               const ReadOptions& options, std::span<float> out)
      : text_(text),
        block_bytes_(block_bytes),
        width_(width),
        options_(options),
        out_(out),
        blocks_((text.size() + block_bytes - 1) / block_bytes),
        end_(blocks_.size()) {
    blocks_[0].first_frame = 0;
  }

  void Work() {
    RowsWorkspace workspace;
    for (size_t i = next_++; i < blocks_.size(); i = next_++) {
      BlockPlacer placer(this, i);
      if (i > end_ || IsCancelled(options_.cancel) ||
          !ScanBlock(i, &placer, &workspace)) {
        EndAt(i);
      }
      // There may be a thread that waits for it, even behind the end.
      if (!placer.asked()) placer.Place(0);
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
    const size_t feed = text_.find('\n', i * block_bytes_ - 1);
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

  class BlockPlacer final : public RowsPlacer {
   public:
    BlockPlacer(BlockScanner* scanner, size_t block)
        : scanner_(*scanner), block_(block) {}
    std::span<float> Place(size_t rows) override {
      asked_ = true;
      return scanner_.Place(block_, rows);
    }
    bool asked() const { return asked_; }

   private:
    BlockScanner& scanner_;
    size_t block_;
    bool asked_ = false;
  };

  std::span<float> Place(size_t block, size_t rows) {
    const auto first = static_cast<size_t>(WaitForFirstFrame(block));
    SetFirstFrame(block + 1, static_cast<int64_t>(first + rows));
    const size_t room = out_.size() / width_;
    if (first > room || rows > room - first) return {};
    TouchAhead((first + rows) * width_);
    return out_.subspan(first * width_, rows * width_);
  }

  // Asks for memory for the values some way behind `values`. The system clears
  // a huge page when it is first written to; threads that come to the same new
  // page together would both wait for that, so one of them gets each page
  // before any comes there.
  void TouchAhead(size_t values) {
    constexpr size_t kPage = kHugePageBytes / sizeof(float);
    size_t touched = touched_;
    while (touched < std::min(values + 2 * kPage, out_.size())) {
      if (!touched_.compare_exchange_weak(touched, touched + kPage)) continue;
      const size_t end = std::min(touched + kPage, out_.size());
      Populate(out_.data() + touched, (end - touched) * sizeof(float));
      touched += kPage;
    }
  }

  // Mostly it is there, or comes before a thread could have gone to sleep.
  int64_t WaitForFirstFrame(size_t block) {
    constexpr int kLooks = 4000;
    std::atomic<int64_t>& first = blocks_[block].first_frame;
    for (int i = 0; i < kLooks; ++i) {
      const int64_t frame = first.load(std::memory_order_acquire);
      if (frame >= 0) return frame;
    }
    first.wait(-1);
    return first;
  }

  // False if the block is not all rows, or not all of them fit.
  bool ScanBlock(size_t i, BlockPlacer* placer, RowsWorkspace* workspace) {
    const size_t begin = Begin(i);
    const std::string_view text = text_.substr(begin, Begin(i + 1) - begin);
    if (text.empty()) return true;
    if (text.size() > kMaxRowsBlockBytes) return false;
    // The block that this thread probably takes next.
    const size_t next = std::min(
        text_.size(), begin + block_bytes_ * static_cast<size_t>(
                                                 options_.parallel->threads()));
    Block& block = blocks_[i];
    block.scan = ScanRowsBlock(options_.target, text, width_, placer,
                               text_.substr(next, block_bytes_), workspace);
    return block.scan.bytes == text.size();
  }

  std::string_view text_;
  size_t block_bytes_;
  size_t width_;
  const ReadOptions& options_;
  std::span<float> out_;
  std::vector<Block> blocks_;
  std::atomic<size_t> next_{0};
  // Values of `out_` before the first page that no thread has touched ahead.
  std::atomic<size_t> touched_{0};
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

// As large as blocks can be, which makes threads meet as rarely as can be: a
// block is begun anywhere and goes on to the end of a line, and lines differ.
// 0 if lines are too long.
size_t BlockBytes(std::string_view rows) {
  const std::string_view sample = rows.substr(0, kMaxRowsBlockBytes);
  size_t longest = 0;
  for (size_t at = 0; at < sample.size();) {
    const size_t end = std::min(sample.find('\n', at), sample.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  // Twice that, for there may be longer ones.
  const size_t reserve = 2 * longest + 2;
  return reserve + kLeastBlockBytes < kMaxRowsBlockBytes
             ? kMaxRowsBlockBytes - reserve
             : 0;
}

}  // namespace

size_t ReadRowsInParallel(std::string_view text, int64_t width,
                          const ReadOptions& options, MotionReader* reader,
                          MatrixSink* sink) {
  const auto scanned = static_cast<int64_t>(kMaxScannedLineBytes);
  if (width == 0 || text.size() < kLeastBytes ||
      options.parallel->threads() == 1 ||
      Exceeds(scanned, options.limits.max_line_bytes)) {
    return 0;
  }
  const size_t blank = BlankLines(text);
  const std::string_view rows = text.substr(blank);
  const int64_t most = reader->MostFrames(rows.size());
  const size_t block_bytes = BlockBytes(rows);
  // The place for the frames is taken at once: only for as many as the file
  // says, if that can be.
  if (most < 1 || most != reader->declared() || block_bytes == 0) return 0;
  reader->Skip(0, blank, CountLineEnds(text.substr(0, blank)));
  BlockScanner scanner(rows, block_bytes, static_cast<size_t>(width), options,
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
