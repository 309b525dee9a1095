#pragma once

// Parses regular rows of MOTION, many lines at a time: the fast path of the
// reader.
//
//   const RowsScan scan = ScanRows(BestRowsTarget(), text, width, values,
//                                  ThreadRowsWorkspace());
//   // values: scan.rows * width floats; text.substr(scan.bytes) is not parsed.
//
// Each CPU target has an implementation of one algorithm (rows-inl.h). The
// scalar target parses number by number; tests compare the others with it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace bvhmill {

// ScanRows stops before longer lines: the caller checks their length.
inline constexpr size_t kMaxScannedLineBytes = size_t{60} * 1024;

// The part of a text that ScanRows parsed.
struct RowsScan {
  // Full rows written.
  size_t rows = 0;
  // Bytes of the parsed lines, with their line ends.
  size_t bytes = 0;
  // Line ends in those bytes; CRLF counts as one.
  int64_t lines = 0;
};

enum class RowsTarget : uint8_t { kScalar, kAvx2, kAvx512, kNeon, kWasm128 };

// "scalar", "avx2", "avx512", "neon", "wasm128".
std::string_view RowsTargetName(RowsTarget target);
// True if this machine can run `target`.
bool IsSupported(RowsTarget target);
// The fastest supported target. Cheap after the first call.
RowsTarget BestRowsTarget();

// Scratch buffers of ScanRows, about 400 KB. Reuse them from call to call. Not
// thread-safe: use one per thread.
class RowsWorkspace {
 public:
  RowsWorkspace();
  ~RowsWorkspace();
  RowsWorkspace(RowsWorkspace&& other) noexcept;
  RowsWorkspace& operator=(RowsWorkspace&& other) noexcept;

  struct Buffers;
  Buffers* buffers() { return buffers_.get(); }

 private:
  std::unique_ptr<Buffers> buffers_;
};

// The workspace of the calling thread. Created at the first call and kept until
// the thread ends.
RowsWorkspace* ThreadRowsWorkspace();

// Parses rows from the beginning of `text` into `out`, one row after the other.
// `text` must begin at the beginning of a line.
//
// A row is one line of `width` numbers of the grammar in number.h, each finite
// as float. The values are rounded as ScanLine rounds them. Lines of blanks are
// skipped. Stops
//
//   - before the first other line,
//   - before the first line longer than kMaxScannedLineBytes,
//   - when `out` has no space for another row,
//   - at the end of the text, which also ends a line.
//
// Requires `width` >= 1. Cost: O(bytes parsed), plus up to kMaxScannedLineBytes
// that are examined and not parsed.
RowsScan ScanRows(RowsTarget target, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* workspace);

// Chooses where the rows of a block are written.
class RowsPlacer {
 public:
  virtual ~RowsPlacer() = default;
  // Space for `rows` rows; empty if there is none.
  virtual std::span<float> Reserve(size_t rows) = 0;
};

// The longest block that ScanRowsBlock accepts.
inline constexpr size_t kMaxRowsBlockBytes = kMaxScannedLineBytes;

// Parses `block`, which consists of whole lines, if ScanRows would parse all of
// it. First counts its rows, then calls `placer` once, then writes the rows
// into the space from `placer`. So several threads can parse one text without
// counting its lines first.
//
// Returns the same as ScanRows. Parses nothing (all counts are 0) if some line
// is not regular or if `placer` has no space; then `placer` may or may not have
// been called, and values that are already written are not valid.
//
// `ahead` is the text that this thread parses next; it is only prefetched into
// the cache, and may be empty.
RowsScan ScanRowsBlock(RowsTarget target, std::string_view block, size_t width,
                       RowsPlacer* placer, std::string_view ahead,
                       RowsWorkspace* workspace);

}  // namespace bvhmill
