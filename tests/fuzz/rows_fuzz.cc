// Every target of ScanRows does what the scalar twin does, on any bytes.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/text/rows.h"

namespace {

using bvhmill::RowsScan;
using bvhmill::RowsTarget;

void Require(bool holds) {
  if (!holds) std::abort();
}

struct Scanned {
  RowsScan scan;
  std::vector<float> values;
};

// In buffers of just the right size, so that the sanitizer sees every access
// beyond them.
Scanned Scan(RowsTarget target, std::string_view text, size_t width,
             size_t rows) {
  static bvhmill::RowsWorkspace workspace;
  Scanned result;
  result.values.resize(rows * width);
  result.scan =
      bvhmill::ScanRows(target, text, width, result.values, &workspace);
  result.values.resize(result.scan.rows * width);
  return result;
}

class VectorPlacer final : public bvhmill::RowsPlacer {
 public:
  explicit VectorPlacer(size_t width) : width_(width) {}
  std::span<float> Reserve(size_t rows) override {
    values.resize(rows * width_);
    return values;
  }
  std::vector<float> values;

 private:
  size_t width_;
};

// A block is read as the twin reads it, or not at all.
void CompareBlock(RowsTarget target, std::string_view text, size_t width) {
  static bvhmill::RowsWorkspace workspace;
  if (text.empty() || text.size() > bvhmill::kMaxRowsBlockBytes) return;
  const Scanned twin = Scan(RowsTarget::kScalar, text, width, text.size() + 1);
  VectorPlacer placer(width);
  const RowsScan scan =
      bvhmill::ScanRowsBlock(target, text, width, &placer, {}, &workspace);
  Require(scan.bytes == (twin.scan.bytes == text.size() ? text.size() : 0));
  if (scan.bytes == 0) return;
  Require(scan.rows == twin.scan.rows && scan.lines == twin.scan.lines);
  Require(twin.values.empty() ||
          std::memcmp(placer.values.data(), twin.values.data(),
                      twin.values.size() * sizeof(float)) == 0);
}

void Compare(std::string_view text, size_t width, size_t rows) {
  const Scanned twin = Scan(RowsTarget::kScalar, text, width, rows);
  for (const RowsTarget target : {RowsTarget::kAvx2, RowsTarget::kAvx512,
                                  RowsTarget::kNeon, RowsTarget::kWasm128}) {
    if (!bvhmill::IsSupported(target)) continue;
    CompareBlock(target, text, width);
    const Scanned fast = Scan(target, text, width, rows);
    Require(fast.scan.rows == twin.scan.rows);
    Require(fast.scan.bytes == twin.scan.bytes);
    Require(fast.scan.lines == twin.scan.lines);
    Require(fast.values.empty() ||
            std::memcmp(fast.values.data(), twin.values.data(),
                        twin.values.size() * sizeof(float)) == 0);
  }
}

}  // namespace

// The second to last byte chooses the width. The last byte chooses the room for
// values and whether chunks of regular rows come before the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t width = 1 + data[size - 2] % 16;
  const size_t rows = (data[size - 1] & 1) != 0 ? data[size - 1] : size;
  const std::string_view text(reinterpret_cast<const char*>(data), size - 2);
  if ((data[size - 1] & 2) == 0) {
    const std::vector<char> copy(text.begin(), text.end());
    Compare({copy.data(), copy.size()}, width, rows);
    return 0;
  }
  std::string longer;
  while (longer.size() < 9'000) {
    for (size_t i = 0; i < width; ++i) longer += "-1.25 ";
    longer += '\n';
  }
  longer += text;
  Compare(longer, width, longer.size());
  return 0;
}
