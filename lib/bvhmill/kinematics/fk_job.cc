#include "bvhmill/kinematics/fk_job.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_simd.h"

namespace bvhmill {
namespace {

absl::Status CheckSize(std::string_view name, size_t size, int64_t wanted) {
  if (size == 0 || size == static_cast<size_t>(wanted)) return absl::OkStatus();
  return InvalidField(name, "has the wrong size");
}

}  // namespace

absl::Status FkJob::Validate() const {
  if (plan == nullptr) return InvalidField("plan", "is missing");
  if (!IsSupported(target)) {
    return InvalidField("target", "is not supported by this machine");
  }
  if (frames < 0) return InvalidField("frames", "is negative");
  const int64_t in_array = array_frames == 0 ? frames : array_frames;
  if (first_frame < 0 || in_array < frames || first_frame > in_array - frames) {
    return InvalidField("first_frame", "is outside the array");
  }
  // The sizes below are products of in_array and must not overflow.
  const int64_t widest = std::max<int64_t>(
      {plan->columns, 9 * static_cast<int64_t>(plan->nodes.size()), 1});
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (in_array > kMost / widest) {
    return InvalidField("frames", "is too large");
  }
  if (row_step < 1) return InvalidField("row_step", "is not positive");
  if (row_step > kMost / widest / std::max<int64_t>(frames, 1)) {
    return InvalidField("row_step", "is too large");
  }
  const int64_t value_rows = frames == 0 ? 0 : (frames - 1) * row_step + 1;
  if (values.size() != static_cast<size_t>(value_rows * plan->columns)) {
    return InvalidField("values", "has the wrong size");
  }
  const int64_t rows = in_array * RowsOf(*plan, with_end_sites);
  const int64_t turns = rows * WidthOf(rotation_kind);
  BVHMILL_RETURN_IF_ERROR(CheckSize("positions", positions.size(), rows * 3));
  BVHMILL_RETURN_IF_ERROR(
      CheckSize("world_rotations", world_rotations.size(), turns));
  return CheckSize("local_rotations", local_rotations.size(), turns);
}

std::string_view FkTargetName(FkTarget target) {
  switch (target) {
    case FkTarget::kReference:
      break;
    case FkTarget::kVector128:
      return "vector128";
    case FkTarget::kAvx2:
      return "avx2";
    case FkTarget::kAvx512:
      return "avx512";
  }
  return "reference";
}

bool IsSupported(FkTarget target) {
  return target == FkTarget::kReference || IsSimdSupported(target);
}

FkTarget BestFkTarget() {
  static const FkTarget best = [] {
    for (const FkTarget target :
         {FkTarget::kAvx512, FkTarget::kAvx2, FkTarget::kVector128}) {
      if (IsSimdSupported(target)) return target;
    }
    return FkTarget::kReference;
  }();
  return best;
}

}  // namespace bvhmill
