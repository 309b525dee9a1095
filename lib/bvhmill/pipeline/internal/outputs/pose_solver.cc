#include "bvhmill/pipeline/internal/outputs/pose_solver.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/velocity_job.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

// The parts that all jobs of one array share.
template <typename Job>
void SetPlace(const Plan& plan, const SharedArray& shared, const TileRows& rows,
              int64_t frames, Job* job) {
  job->plan = &plan;
  job->frames = rows.frames;
  job->with_end_sites = shared.array.with_end_sites;
  job->layout = shared.array.layout;
  job->array_frames = shared.whole ? frames : 0;
  job->first_frame = shared.whole ? rows.first_frame : 0;
}

}  // namespace

void PoseSolver::Begin(const OutputPlan& outputs, const EncodeContext& context,
                       const CompiledSkeleton* compiled,
                       const Conventions& conventions) {
  outputs_ = &outputs;
  skeleton_ = context.skeleton;
  frames_ = context.frames;
  frame_time_ = context.frame_time;
  budget_ = context.budget;
  scratch_threads_ = 0;
  plan_ = compiled == nullptr ? &own_plan_ : &compiled->plan;
  if (compiled == nullptr) {
    MakePlanInto(*context.skeleton, conventions, &own_plan_);
  }
}

absl::Status PoseSolver::ReserveFullArrays() {
  const auto arrays = outputs_->arrays();
  int64_t bytes = 0;
  for (const SharedArray& shared : arrays) {
    bytes += outputs_->WholeBytes(shared, frames_, *skeleton_);
  }
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget_, bytes));
  // Also for a clip without frames: the arrays still hold the previous clip.
  full_arrays_.resize(std::max(full_arrays_.size(), arrays.size()));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i].whole) continue;
    full_arrays_[i].resize(static_cast<size_t>(outputs_->WholeBytes(
                               arrays[i], frames_, *skeleton_)) /
                           sizeof(float));
  }
  return absl::OkStatus();
}

absl::Status PoseSolver::DrawBuffers(int threads, int64_t frames) {
  if (threads > scratch_threads_ && !outputs_->arrays().empty()) {
    const int more = threads - std::exchange(scratch_threads_, threads);
    BVHMILL_RETURN_IF_ERROR(HoldFrom(budget_, more * FkScratchBytes(*plan_)));
  }
  int64_t values = 0;
  for (const SharedArray& shared : outputs_->arrays()) {
    const int64_t rows = bvhmill::RowsOf(*plan_, shared.array.with_end_sites);
    if (!shared.whole) values += rows * WidthOf(shared.array);
    // Velocities are derived from positions.
    if (shared.array.kind == PoseKind::kVelocities) values += 3 * rows;
  }
  return HoldFrom(budget_, threads * std::min(frames, MaxFrames()) * values *
                               static_cast<int64_t>(sizeof(float)));
}

int64_t PoseSolver::TileFrames() const {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan_->nodes.size());
  return std::clamp<int64_t>(kTileNodes / std::max<int64_t>(nodes, 1), 1, 1024);
}

int64_t PoseSolver::MaxFrames() const {
  constexpr int64_t kMaxNodes = 256 * 1024;
  const auto nodes = static_cast<int64_t>(plan_->nodes.size());
  return std::max<int64_t>(kMaxNodes / std::max<int64_t>(nodes, 1), 1);
}

std::span<const float> PoseSolver::Array(size_t array,
                                         const TileBuffers& buffers) const {
  return outputs_->arrays()[array].whole ? full_arrays_[array]
                                         : buffers.arrays[array];
}

// The memory for array number `array` of a tile.
std::span<float> PoseSolver::Reserve(size_t array, const TileRows& rows,
                                     TileBuffers* buffers) {
  const SharedArray& shared = outputs_->arrays()[array];
  if (shared.whole) return full_arrays_[array];
  const int64_t count = rows.frames *
                        bvhmill::RowsOf(*plan_, shared.array.with_end_sites) *
                        WidthOf(shared.array);
  UninitializedVector<float>& buffer = buffers->arrays[array];
  buffer.resize(static_cast<size_t>(count));
  return buffer;
}

void PoseSolver::SolveVelocities(const SharedArray& shared,
                                 const TileRows& rows, TileBuffers* buffers,
                                 std::span<float> out) const {
  VelocityJob job;
  SetPlace(*plan_, shared, rows, frames_, &job);
  job.values = rows.around;
  job.has_before = rows.has_before;
  job.has_after = rows.has_after;
  job.frame_time = frame_time_;
  job.velocities = out;
  job.scratch = &buffers->positions;
  job.fk_scratch = &buffers->scratch;
  job.Run();
}

void PoseSolver::SolveArray(const SharedArray& shared, const TileRows& rows,
                            TileBuffers* buffers, std::span<float> out) const {
  const PoseArray& array = shared.array;
  if (array.kind == PoseKind::kVelocities) {
    return SolveVelocities(shared, rows, buffers, out);
  }
  FkJob job;
  SetPlace(*plan_, shared, rows, frames_, &job);
  job.values = rows.values;
  job.scratch = &buffers->scratch;
  job.rotation_kind = array.rotation_kind;
  (array.kind == PoseKind::kPositions        ? job.positions
   : array.kind == PoseKind::kLocalRotations ? job.local_rotations
                                             : job.world_rotations) = out;
  job.Run();
}

void PoseSolver::Solve(const TileRows& rows, TileBuffers* buffers) {
  const StageTimer timer(&buffers->solve);
  const auto arrays = outputs_->arrays();
  buffers->arrays.resize(std::max(buffers->arrays.size(), arrays.size()));
  for (size_t i = 0; i < arrays.size(); ++i) {
    SolveArray(arrays[i], rows, buffers, Reserve(i, rows, buffers));
  }
}

size_t PoseSolver::KeptBytes() const {
  size_t bytes = 0;
  for (const auto& array : full_arrays_) {
    bytes += array.capacity() * sizeof(float);
  }
  return bytes;
}

}  // namespace bvhmill
