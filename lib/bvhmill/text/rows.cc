#include "bvhmill/text/rows.h"

#include <algorithm>
#include <vector>

#include "bvhmill/text/lines.h"
#include "bvhmill/text/number.h"
#include "bvhmill/text/rows_targets.h"

namespace bvhmill {
namespace {

RowsTarget FindBestTarget() {
  for (const RowsTarget target : {RowsTarget::kAvx512, RowsTarget::kAvx2,
                                  RowsTarget::kNeon, RowsTarget::kWasm128}) {
    if (IsSupported(target)) return target;
  }
  return RowsTarget::kScalar;
}

}  // namespace

std::string_view RowsTargetName(RowsTarget target) {
  switch (target) {
    case RowsTarget::kScalar:
      break;
    case RowsTarget::kAvx2:
      return "avx2";
    case RowsTarget::kAvx512:
      return "avx512";
    case RowsTarget::kNeon:
      return "neon";
    case RowsTarget::kWasm128:
      return "wasm128";
  }
  return "scalar";
}

#if defined(__x86_64__)

// The builtin also checks that the operating system saves the wide registers.
bool IsSupported(RowsTarget target) {
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("popcnt");
  switch (target) {
    case RowsTarget::kScalar:
      return true;
    case RowsTarget::kAvx2:
      return has_avx2;
    case RowsTarget::kAvx512:
      return has_avx2 && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512vbmi") &&
             __builtin_cpu_supports("avx512vbmi2");
    case RowsTarget::kNeon:
    case RowsTarget::kWasm128:
      break;
  }
  return false;
}

RowsScan ScanRows(RowsTarget target, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* workspace) {
  switch (target) {
    case RowsTarget::kScalar:
    case RowsTarget::kNeon:
    case RowsTarget::kWasm128:
      break;
    case RowsTarget::kAvx2:
      return ScanRowsAvx2(text, width, out, workspace->buffers());
    case RowsTarget::kAvx512:
      return ScanRowsAvx512(text, width, out, workspace->buffers());
  }
  return ScanRowsScalar(text, width, out);
}

RowsScan ScanRowsBlock(RowsTarget target, std::string_view block, size_t width,
                       RowsPlacer* placer, std::string_view ahead,
                       RowsWorkspace* workspace) {
  switch (target) {
    case RowsTarget::kScalar:
    case RowsTarget::kNeon:
    case RowsTarget::kWasm128:
      break;
    case RowsTarget::kAvx2:
      return ScanRowsBlockAvx2(block, width, placer, ahead,
                               workspace->buffers());
    case RowsTarget::kAvx512:
      return ScanRowsBlockAvx512(block, width, placer, ahead,
                                 workspace->buffers());
  }
  return ScanRowsBlockScalar(block, width, placer);
}

#elif defined(BVHMILL_ROWS_128)

// The one target with vectors, which every machine of this kind has.
#if defined(__aarch64__)
constexpr RowsTarget kVectors = RowsTarget::kNeon;
#else
constexpr RowsTarget kVectors = RowsTarget::kWasm128;
#endif

bool IsSupported(RowsTarget target) {
  return target == RowsTarget::kScalar || target == kVectors;
}

RowsScan ScanRows(RowsTarget target, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* workspace) {
  return target == kVectors
             ? ScanRows128(text, width, out, workspace->buffers())
             : ScanRowsScalar(text, width, out);
}

RowsScan ScanRowsBlock(RowsTarget target, std::string_view block, size_t width,
                       RowsPlacer* placer, std::string_view ahead,
                       RowsWorkspace* workspace) {
  return target == kVectors ? ScanRowsBlock128(block, width, placer, ahead,
                                               workspace->buffers())
                            : ScanRowsBlockScalar(block, width, placer);
}

#else

bool IsSupported(RowsTarget target) { return target == RowsTarget::kScalar; }

RowsScan ScanRows(RowsTarget /*target*/, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* /*workspace*/) {
  return ScanRowsScalar(text, width, out);
}

RowsScan ScanRowsBlock(RowsTarget /*target*/, std::string_view block,
                       size_t width, RowsPlacer* placer,
                       std::string_view /*ahead*/,
                       RowsWorkspace* /*workspace*/) {
  return ScanRowsBlockScalar(block, width, placer);
}

#endif

RowsTarget BestRowsTarget() {
  static const RowsTarget best = FindBestTarget();
  return best;
}

// The buffers stay uninitialized, so that unused pages are never touched.
RowsWorkspace::RowsWorkspace()
    : buffers_(std::make_unique_for_overwrite<Buffers>()) {}
RowsWorkspace::~RowsWorkspace() = default;
RowsWorkspace::RowsWorkspace(RowsWorkspace&& other) noexcept = default;
RowsWorkspace& RowsWorkspace::operator=(RowsWorkspace&& other) noexcept =
    default;

RowsWorkspace* ThreadRowsWorkspace() {
  thread_local RowsWorkspace workspace;
  return &workspace;
}

// Each literal is the double nearest to its power of ten.
const double kScales[kMaxExponent - kMinExponent + 1] = {
    1e-67, 1e-66, 1e-65, 1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57,
    1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51, 1e-50, 1e-49, 1e-48, 1e-47, 1e-46,
    1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35,
    1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24,
    1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13,
    1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,
    1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,
    1e10,  1e11,  1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,
    1e21,  1e22,  1e23,  1e24,  1e25,  1e26,  1e27,  1e28,  1e29,  1e30,  1e31,
    1e32,  1e33,  1e34,  1e35,  1e36,  1e37,  1e38,
};

RowsScan ScanRowsScalar(std::string_view text, size_t width,
                        std::span<float> out) {
  RowsScan scan;
  LineReader lines(text, {});
  Line line;
  while ((scan.rows + 1) * width <= out.size() && lines.Next(&line)) {
    if (line.text.size() > kMaxScannedLineBytes) return scan;
    const LineScan row =
        ScanLine(line.text, 0, out.subspan(scan.rows * width, width));
    const bool is_blank = row.values == 0 && row.end == RowEnd::kLineEnd;
    const bool is_row = row.values == width && row.end == RowEnd::kLineEnd &&
                        !row.has_non_finite;
    if (!is_blank && !is_row) return scan;
    scan.rows += is_row ? 1 : 0;
    scan.bytes = lines.taken();
    scan.lines = lines.next().line - 1;
  }
  return scan;
}

RowsScan ScanRowsBlockScalar(std::string_view block, size_t width,
                             RowsPlacer* placer) {
  // A value takes at least two bytes, except for the last one of the text. One
  // extra row of space lets ScanRowsScalar reach the end of the text.
  std::vector<float> values((block.size() + 1) / 2 + width);
  const RowsScan scan = ScanRowsScalar(block, width, values);
  if (scan.bytes < block.size()) return {};
  const std::span<float> room = placer->Reserve(scan.rows);
  if (room.size() < scan.rows * width) return {};
  std::copy_n(values.begin(), scan.rows * width, room.begin());
  return scan;
}

}  // namespace bvhmill
