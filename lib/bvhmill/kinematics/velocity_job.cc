#include "bvhmill/kinematics/velocity_job.h"

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {
namespace {

int64_t SourceRows(const VelocityJob& job) {
  return job.frames + (job.has_before ? 1 : 0) + (job.has_after ? 1 : 0);
}

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

absl::Status VelocityJob::Validate() const {
  if (scratch == nullptr) return InvalidField("scratch", "is missing");
  if (!(frame_time > 0)) return InvalidField("frame_time", "is not above 0");
  BVHMILL_RETURN_IF_ERROR(PositionsOf(*this).Validate());
  FkJob out = PositionsOf(*this);
  out.frames = frames;
  out.values = values.first(static_cast<size_t>(frames * plan->columns));
  out.layout = layout;
  out.array_frames = array_frames;
  out.first_frame = first_frame;
  out.positions = velocities;
  return out.Validate();
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
