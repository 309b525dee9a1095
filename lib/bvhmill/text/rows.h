#pragma once

// Reads the regular rows of MOTION, many lines at a time: the fast path of the
// reader. Each CPU target is an implementation of one algorithm; the scalar one
// is the twin that all are compared with.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace bvhmill {

// Longer lines are left to the caller, who checks their length.
inline constexpr size_t kMaxScannedLineBytes = size_t{60} * 1024;

// What ScanRows took.
struct RowsScan {
  // Full rows written.
  size_t rows = 0;
  // Bytes of the whole lines taken, their line ends included.
  size_t bytes = 0;
  // Line ends among them; CRLF is one.
  int64_t lines = 0;
};

enum class RowsTarget { kScalar, kAvx2, kAvx512 };

// "scalar", "avx2", "avx512".
std::string_view RowsTargetName(RowsTarget target);
// Whether this machine can run it.
bool IsSupported(RowsTarget target);
// The fastest that is supported. Cheap: found out once.
RowsTarget BestRowsTarget();

// Buffers that ScanRows works in, about 400 KB, kept from call to call. Not
// thread-safe: one per thread.
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

// That of this thread, made when it is first asked for and kept until the
// thread ends.
RowsWorkspace* ThreadRowsWorkspace();

// Reads rows from the beginning of `text`, which begins a line, into `out`, row
// after row: one line each, `width` numbers of the grammar of number.h, each
// finite as float and rounded as there. Lines of blanks are skipped. Stops
// before the first line that is anything else or is longer than
// kMaxScannedLineBytes, when `out` has no room for another row, or at the end
// of the text, which ends a line. `width` >= 1. Cost: O(bytes taken), and up
// to kMaxScannedLineBytes looked at in vain.
RowsScan ScanRows(RowsTarget target, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* workspace);

// Says where the rows of a block go.
class RowsPlacer {
 public:
  virtual ~RowsPlacer() = default;
  // Room for `rows` rows; empty if there is none.
  virtual std::span<float> Reserve(size_t rows) = 0;
};

// A block must not be longer.
inline constexpr size_t kMaxRowsBlockBytes = kMaxScannedLineBytes;

// Reads `block`, some whole lines, if ScanRows would read all of it: counts its
// rows, asks `placer`, once, where they go, and writes them there, so that
// several threads can work on one text without counting its lines first.
// Returns what ScanRows would; or nothing taken if the lines are not all
// regular, or have no place: the placer may have been asked or not, and what
// was written is void. `ahead` is text that this thread is going to read next:
// it is brought near, no more; may be empty.
RowsScan ScanRowsBlock(RowsTarget target, std::string_view block, size_t width,
                       RowsPlacer* placer, std::string_view ahead,
                       RowsWorkspace* workspace);

}  // namespace bvhmill
