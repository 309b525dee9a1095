// Step 3 of reading BVH text, for long regular texts: the rows of MOTION, by
// several threads. motion.cc reads all other rows. Next: reader.cc.
//
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
// it has fewer, the values are moved at the end. A front block that is not all
// rows ends the scan. A back block that is not all rows makes everything that
// the back wrote invalid, and the threads of the back continue at the front.

#include "bvhmill/bvh/parallel_rows.h"

#include <algorithm>
#include <cstring>

#include "bvhmill/base/parallel.h"
#include "bvhmill/base/uninitialized.h"

namespace bvhmill {
namespace {

constexpr size_t kPageValues = kHugePageBytes / sizeof(float);

void Set(int64_t frame, std::atomic<int64_t>* to) {
  *to = frame;
  to->notify_one();
}

int64_t WaitFor(const std::atomic<int64_t>& frame) {
  return WaitUntil(frame, [](int64_t value) { return value >= 0; });
}

}  // namespace

class BlockScanner::BlockPlacer final : public RowsPlacer {
 public:
  BlockPlacer(BlockScanner* scanner, Side side, size_t block)
      : scanner_(*scanner), side_(side), block_(block) {}
  BlockPlacer(const BlockPlacer&) = delete;
  BlockPlacer& operator=(const BlockPlacer&) = delete;
  // Another thread may wait for the result of this block, also if this block is
  // beyond the end, or if an exception ends this thread.
  ~BlockPlacer() override {
    if (!asked_) BlockPlacer::Reserve(0);
  }
  std::span<float> Reserve(size_t rows) override {
    asked_ = true;
    return scanner_.Reserve(side_, block_, static_cast<int64_t>(rows));
  }
  Side side() const { return side_; }

 private:
  BlockScanner& scanner_;
  Side side_;
  size_t block_;
  bool asked_ = false;
};

BlockScanner::BlockScanner(std::string_view text, size_t block_bytes,
                           size_t width, const ReadOptions& options,
                           std::span<float> out)
    : text_(text),
      block_bytes_(block_bytes),
      width_(width),
      options_(options),
      out_(out),
      blocks_((text.size() + block_bytes - 1) / block_bytes),
      taken_(Taken{0, static_cast<uint32_t>(blocks_.size())}),
      room_(static_cast<int64_t>(out.size() / width)),
      untouched_end_(out.size()) {
  blocks_.front().first_frame = 0;
  blocks_.back().end_frame = room_.load();
}

void BlockScanner::Work(Side side) {
  size_t i = 0;
  while (Take(&side, &i)) {
    BlockPlacer placer(this, side, i);
    if (IsCancelled(options_.cancel) || !ScanBlock(i, &placer)) {
      Close(side);
    }
  }
}

RowsScan BlockScanner::Result() {
  RowsScan result;
  const Taken taken = taken_;
  const size_t blocks =
      is_back_closed_ || is_front_closed_ ? taken.front : blocks_.size();
  size_t front_rows = 0;
  for (size_t i = 0; i < blocks && blocks_[i].is_whole; ++i) {
    result.rows += blocks_[i].scan.rows;
    result.bytes += blocks_[i].scan.bytes;
    result.lines += blocks_[i].scan.lines;
    if (i < taken.front) front_rows = result.rows;
  }
  MoveTogether(front_rows, result.rows - front_rows);
  return result;
}

bool BlockScanner::Take(Side* side, size_t* block) {
  Taken taken = taken_;
  for (;;) {
    if (taken.front == taken.back || is_front_closed_) return false;
    if (is_back_closed_) *side = Side::kFront;
    Taken next = taken;
    *block = *side == Side::kFront ? next.front++ : --next.back;
    if (taken_.compare_exchange_weak(taken, next)) return true;
  }
}

void BlockScanner::Close(Side side) {
  (side == Side::kFront ? is_front_closed_ : is_back_closed_) = true;
}

size_t BlockScanner::Begin(size_t i) const {
  if (i == 0) return 0;
  if (i >= blocks_.size()) return text_.size();
  const size_t feed = text_.find('\n', i * block_bytes_ - 1);
  return feed == std::string_view::npos ? text_.size() : feed + 1;
}

std::span<float> BlockScanner::Reserve(Side side, size_t block, int64_t rows) {
  Block& taken = blocks_[block];
  const bool is_front = side == Side::kFront;
  const int64_t edge = WaitFor(is_front ? taken.first_frame : taken.end_frame);
  // This comes before the next block can do the same. So each block that fits
  // has its own place, and front and back never write to the same place.
  const bool fits = room_.fetch_sub(rows) >= rows;
  const int64_t first = is_front ? edge : std::max(edge - rows, int64_t{0});
  if (is_front && block + 1 < blocks_.size()) {
    Set(edge + rows, &blocks_[block + 1].first_frame);
  } else if (!is_front && block > 0) {
    Set(first, &blocks_[block - 1].end_frame);
  }
  if (!fits) return {};
  const std::span<float> place = out_.subspan(
      static_cast<size_t>(first) * width_, static_cast<size_t>(rows) * width_);
  if (is_front) {
    TouchAfter(static_cast<size_t>(place.data() - out_.data()) + place.size());
  } else {
    TouchBefore(static_cast<size_t>(place.data() - out_.data()));
  }
  return place;
}

void BlockScanner::TouchAfter(size_t values) {
  size_t touched = touched_;
  while (touched < std::min(values + 2 * kPageValues, out_.size())) {
    const size_t next = std::min(touched + kPageValues, out_.size());
    if (!touched_.compare_exchange_weak(touched, next)) continue;
    Populate(out_.data() + touched, (next - touched) * sizeof(float));
    touched = next;
  }
}

void BlockScanner::TouchBefore(size_t values) {
  size_t end = untouched_end_;
  while (end > values - std::min(values, 2 * kPageValues)) {
    const size_t next = end - std::min(end, kPageValues);
    if (!untouched_end_.compare_exchange_weak(end, next)) continue;
    Populate(out_.data() + next, (end - next) * sizeof(float));
    end = next;
  }
}

bool BlockScanner::ScanBlock(size_t i, BlockPlacer* placer) {
  const size_t begin = Begin(i);
  const std::string_view text = text_.substr(begin, Begin(i + 1) - begin);
  Block& block = blocks_[i];
  if (!text.empty()) {
    if (text.size() > kMaxRowsBlockBytes) return false;
    block.scan =
        ScanRowsBlock(options_.target, text, width_, placer,
                      Ahead(begin, placer->side()), ThreadRowsWorkspace());
  }
  block.is_whole = block.scan.bytes == text.size();
  return block.is_whole;
}

std::string_view BlockScanner::Ahead(size_t begin, Side side) const {
  const auto threads = static_cast<size_t>(options_.parallel->threads());
  const size_t step = block_bytes_ * ((threads + 1) / 2);
  const size_t next = side == Side::kFront
                          ? std::min(text_.size(), begin + step)
                          : begin - std::min(begin, step);
  return text_.substr(next, block_bytes_);
}

void BlockScanner::MoveTogether(size_t front, size_t back) {
  const std::span<float> values = out_.last(back * width_);
  if (back > 0 && front + back < out_.size() / width_) {
    std::memmove(out_.data() + front * width_, values.data(),
                 values.size_bytes());
  }
}

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

// The number of rows that `text` may have: the space to reserve for them.
int64_t MostRows(std::string_view text, const MotionReader& reader) {
  const int64_t most = reader.MaxFrames(static_cast<int64_t>(text.size()));
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
