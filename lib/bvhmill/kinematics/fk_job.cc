#include "bvhmill/kinematics/fk_job.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

absl::Status CheckSize(std::string_view name, size_t size, int64_t wanted) {
  if (size == 0 || size == static_cast<size_t>(wanted)) return absl::OkStatus();
  return InvalidField(name, "has the wrong size");
}

// The rows of `values`.
int64_t SourceRows(const VelocityJob& job) {
  return job.frames + (job.has_before ? 1 : 0) + (job.has_after ? 1 : 0);
}

// The job that solves the positions of all rows.
FkJob PositionsOf(const VelocityJob& job) {
  FkJob positions;
  positions.plan = job.plan;
  positions.frames = SourceRows(job);
  positions.values = job.values;
  positions.with_end_sites = job.with_end_sites;
  positions.scratch = job.fk_scratch;
  return positions;
}

// out[i] = (to[i] - from[i]) * scale.
void Differentiate(const float* from, const float* to, float scale,
                   int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = (to[i] - from[i]) * scale;
}

}  // namespace

absl::Status FkJob::Validate() const {
  if (plan == nullptr) return InvalidField("plan", "is missing");
  if (!IsSupported(target)) {
    return InvalidField("target", "is not supported by this machine");
  }
  if (rotation_kind > RotationKind::kSixD) {
    return InvalidField("rotation_kind", "is made of another one");
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

FkTarget BestFkTarget() {
  static const FkTarget best = [] {
    for (const FkTarget target :
         {FkTarget::kAvx512, FkTarget::kAvx2, FkTarget::kVector128}) {
      if (IsSupported(target)) return target;
    }
    return FkTarget::kReference;
  }();
  return best;
}

absl::Status VelocityJob::Validate() const {
  if (scratch == nullptr) return InvalidField("scratch", "is missing");
  if (!(frame_time > 0)) return InvalidField("frame_time", "is not above 0");
  if (frames < 0) return InvalidField("frames", "is below 0");
  BVHMILL_RETURN_IF_ERROR(PositionsOf(*this).Validate());
  FkJob out = PositionsOf(*this);
  out.frames = frames;
  out.values = values.first(static_cast<size_t>(frames * plan->columns));
  out.layout = layout;
  out.array_frames = array_frames;
  out.first_frame = first_frame;
  out.positions = velocities;
  BVHMILL_RETURN_IF_ERROR(out.Validate());
  // An array of FkJob may be missing, but not this one.
  const bool has_room = frames == 0 || !velocities.empty();
  return has_room ? absl::OkStatus()
                  : InvalidField("velocities", "has the wrong size");
}

void VelocityJob::Run() const {
  FkJob solve = PositionsOf(*this);
  const int64_t rows = RowsOf(*plan, with_end_sites);
  const int64_t width = rows * 3;
  scratch->resize(static_cast<size_t>(solve.frames * width));
  solve.positions = *scratch;
  solve.Run();
  const int64_t last = solve.frames - 1;
  const int64_t in_array = array_frames == 0 ? frames : array_frames;
  for (int64_t i = 0; i < frames; ++i) {
    const int64_t at = i + (has_before ? 1 : 0);
    const int64_t from = at > 0 ? at - 1 : at;
    const int64_t to = at < last ? at + 1 : at;
    const double seconds = static_cast<double>(to - from) * frame_time;
    const float scale = to > from ? static_cast<float>(1 / seconds) : 0.0F;
    const float* p = scratch->data() + from * width;
    const float* q = scratch->data() + to * width;
    const int64_t frame = first_frame + i;
    if (layout == TensorLayout::kFrameMajor) {
      Differentiate(p, q, scale, width, velocities.data() + frame * width);
      continue;
    }
    for (int64_t row = 0; row < rows; ++row) {
      Differentiate(p + row * 3, q + row * 3, scale, 3,
                    velocities.data() + (row * in_array + frame) * 3);
    }
  }
}

}  // namespace bvhmill
