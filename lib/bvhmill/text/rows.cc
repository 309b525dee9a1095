#include "bvhmill/text/rows.h"

#include "bvhmill/text/rows_targets.h"

namespace bvhmill {
namespace {

RowsTarget FindBestTarget() {
  if (IsSupported(RowsTarget::kAvx512)) return RowsTarget::kAvx512;
  if (IsSupported(RowsTarget::kAvx2)) return RowsTarget::kAvx2;
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
  }
  return false;
}

RowsScan ScanRows(RowsTarget target, std::string_view text, size_t width,
                  std::span<float> out, RowsWorkspace* workspace) {
  switch (target) {
    case RowsTarget::kScalar:
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

// The buffers stay uninitialized, so that pages that are never used are never
// touched.
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

}  // namespace bvhmill
