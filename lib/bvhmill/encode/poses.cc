#include "bvhmill/encode/poses.h"

#include <algorithm>
#include <limits>
#include <string>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {
namespace {

using Clock = std::chrono::steady_clock;

// Adds the time of its life to `*total`.
class Timer {
 public:
  explicit Timer(std::chrono::nanoseconds* total) : total_(*total) {}
  ~Timer() { total_ += Clock::now() - start_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  std::chrono::nanoseconds& total_;
  const Clock::time_point start_ = Clock::now();
};

// The frames of a clip, tile by tile. Threads take tiles until there are no
// more; each solves its tile, waits for its turn and passes the tile on.
class PosePass {
 public:
  // `whole` is empty, or gets the array of all frames. `write` may be null.
  PosePass(const PoseArray& array, const EncodeContext& context,
           std::span<float> whole, const PoseWriter* write);

  absl::Status Run(PoseWorkspace* workspace);

 private:
  int64_t tiles() const { return (frames_ + step_ - 1) / step_; }
  // Values of a frame of the array.
  int64_t frame_values() const {
    return WidthOf(array_) * bvhmill::RowsOf(plan_, array_.with_end_sites);
  }
  int64_t WorkOfFrames(int64_t frames) const;
  absl::Status DrawBuffers(int threads, HeldMemory* memory) const;
  void Work(PoseBuffers* buffers);
  void Solve(int64_t first, int64_t frames, PoseBuffers* buffers) const;
  template <typename Job>
  void SetPlace(int64_t first, int64_t frames, Job* job) const;
  absl::Status PassOn(int64_t first, int64_t frames, PoseBuffers* buffers);
  std::span<const float> Rows(int64_t first, int64_t end) const;

  const PoseArray& array_;
  const EncodeContext& context_;
  const Plan& plan_;
  const int64_t frames_;
  // Frames of a tile.
  const int64_t step_;
  const std::span<float> whole_;
  const PoseWriter* const write_;
  OrderedSequencer sequencer_;
  // Written only by the thread whose turn it is.
  absl::Status status_;
};

// The poses of a tile fit the second-level cache.
int64_t TileFrames(const Plan& plan) {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan.nodes.size());
  return std::clamp<int64_t>(kTileNodes / std::max<int64_t>(nodes, 1), 1, 1024);
}

PosePass::PosePass(const PoseArray& array, const EncodeContext& context,
                   std::span<float> whole, const PoseWriter* write)
    : array_(array),
      context_(context),
      plan_(*context.plan),
      frames_(context.frames()),
      step_(TileFrames(plan_)),
      whole_(whole),
      write_(write) {}

// Solving a node takes about as long as copying some numbers.
int64_t PosePass::WorkOfFrames(int64_t frames) const {
  constexpr int64_t kNodeWork = 6;
  const int64_t frame_units = 1 + (kNodeWork + WidthOf(array_)) *
                                      static_cast<int64_t>(plan_.nodes.size());
  int64_t units = 0;
  return __builtin_mul_overflow(frames, frame_units, &units)
             ? std::numeric_limits<int64_t>::max()
             : units;
}

absl::Status PosePass::DrawBuffers(int threads, HeldMemory* memory) const {
  const int64_t rows = bvhmill::RowsOf(plan_, array_.with_end_sites);
  int64_t values = whole_.empty() ? frame_values() : 0;
  if (array_.kind == PoseKind::kVelocities) values += 3 * rows;
  const int64_t frames = std::min(step_, frames_);
  return memory->Draw(threads *
                      (FkScratchBytes(plan_) +
                       frames * values * static_cast<int64_t>(sizeof(float))));
}

std::span<const float> PosePass::Rows(int64_t first, int64_t end) const {
  const auto columns = static_cast<size_t>(plan_.columns);
  return std::span<const float>(context_.clip->motion.values)
      .subspan(static_cast<size_t>(first) * columns,
               static_cast<size_t>(end - first) * columns);
}

template <typename Job>
void PosePass::SetPlace(int64_t first, int64_t frames, Job* job) const {
  job->plan = &plan_;
  job->frames = frames;
  job->with_end_sites = array_.with_end_sites;
  if (whole_.empty()) return;
  job->layout = array_.layout;
  job->array_frames = frames_;
  job->first_frame = first;
}

void PosePass::Solve(int64_t first, int64_t frames,
                     PoseBuffers* buffers) const {
  const Timer timer(&buffers->solve);
  std::span<float> out = whole_;
  if (whole_.empty()) {
    buffers->tile.resize(static_cast<size_t>(frames * frame_values()));
    out = buffers->tile;
  }
  if (array_.kind == PoseKind::kVelocities) {
    VelocityJob job;
    SetPlace(first, frames, &job);
    job.has_before = first > 0;
    job.has_after = first + frames < frames_;
    job.values = Rows(first - (job.has_before ? 1 : 0),
                      first + frames + (job.has_after ? 1 : 0));
    job.frame_time = context_.clip->motion.frame_time;
    job.velocities = out;
    job.scratch = &buffers->positions;
    job.fk_scratch = &buffers->scratch;
    return job.Run();
  }
  FkJob job;
  SetPlace(first, frames, &job);
  job.values = Rows(first, first + frames);
  job.scratch = &buffers->scratch;
  job.rotation_kind = array_.rotation_kind;
  (array_.kind == PoseKind::kPositions        ? job.positions
   : array_.kind == PoseKind::kLocalRotations ? job.local_rotations
                                              : job.world_rotations) = out;
  job.Run();
}

absl::Status PosePass::PassOn(int64_t first, int64_t frames,
                              PoseBuffers* buffers) {
  const Timer timer(&buffers->write);
  BVHMILL_RETURN_IF_ERROR(WorkFrom(context_.budget, WorkOfFrames(frames)));
  if (write_ == nullptr) return absl::OkStatus();
  return (*write_)(first, frames, buffers->tile);
}

void PosePass::Work(PoseBuffers* buffers) {
  const int64_t end = tiles();
  for (int64_t i = sequencer_.Take(); i < end; i = sequencer_.Take()) {
    const int64_t first = i * step_;
    const int64_t frames = std::min(step_, frames_ - first);
    const OrderedSequencer::Slot turn(&sequencer_, i);
    if (!sequencer_.stopped()) Solve(first, frames, buffers);
    turn.Wait();
    if (sequencer_.stopped()) continue;
    status_ = PassOn(first, frames, buffers);
    if (!status_.ok()) sequencer_.Stop();
  }
}

absl::Status PosePass::Run(PoseWorkspace* workspace) {
  const Timer timer(&workspace->elapsed);
  BVHMILL_RETURN_IF_ERROR(CheckRate(array_, context_));
  // Too much work is refused before memory is taken.
  if (context_.budget != nullptr) {
    BVHMILL_RETURN_IF_ERROR(context_.budget->CheckWork(WorkOfFrames(frames_)));
  }
  // A clip of a few tiles is not worth a second thread.
  constexpr int64_t kFewTiles = 4;
  const int threads = context_.parallel == nullptr || tiles() <= kFewTiles
                          ? 1
                          : context_.parallel->threads();
  HeldMemory memory(context_.budget);
  BVHMILL_RETURN_IF_ERROR(DrawBuffers(threads, &memory));
  const auto count = static_cast<size_t>(threads);
  if (workspace->threads.size() < count) workspace->threads.resize(count);
  if (threads == 1) {
    Work(&workspace->threads[0]);
  } else {
    context_.parallel->Run(threads, [&](int64_t i) {
      Work(&workspace->threads[static_cast<size_t>(i)]);
    });
  }
  return status_;
}

}  // namespace

int64_t WidthOf(const PoseArray& array) {
  const bool is_rotation = array.kind == PoseKind::kLocalRotations ||
                           array.kind == PoseKind::kWorldRotations;
  return is_rotation ? WidthOf(array.rotation_kind) : 3;
}

int64_t RowsOf(const PoseArray& array, const Skeleton& skeleton) {
  return array.with_end_sites ? static_cast<int64_t>(skeleton.nodes.size())
                              : JointCount(skeleton);
}

int64_t BytesOf(const PoseArray& array, const Skeleton& skeleton,
                int64_t frames) {
  return frames * RowsOf(array, skeleton) * WidthOf(array) *
         static_cast<int64_t>(sizeof(float));
}

void PoseWorkspace::ClearTimes() {
  elapsed = {};
  for (PoseBuffers& buffers : threads) buffers.solve = buffers.write = {};
}

size_t PoseWorkspace::KeptBytes() const {
  size_t floats = whole.capacity();
  for (const PoseBuffers& buffers : threads) {
    floats += buffers.tile.capacity() + buffers.positions.capacity() +
              buffers.scratch.capacity();
  }
  return floats * sizeof(float);
}

absl::Status WritePoses(const PoseArray& array, const EncodeContext& context,
                        const PoseWriter& write) {
  return PosePass(array, context, {}, &write).Run(context.poses);
}

absl::Status WriteWhole(
    const PoseArray& array, const EncodeContext& context,
    const std::function<absl::Status(std::string_view bytes)>& write) {
  const int64_t bytes = BytesOf(array, context.skeleton(), context.frames());
  HeldMemory memory(context.budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(bytes));
  UninitializedVector<float>& whole = context.poses->whole;
  whole.resize(static_cast<size_t>(bytes) / sizeof(float));
  BVHMILL_RETURN_IF_ERROR(
      PosePass(array, context, whole, nullptr).Run(context.poses));
  return write(BytesOf(std::span<const float>(whole)));
}

absl::Status CheckRate(const PoseArray& array, const EncodeContext& context) {
  if (array.kind != PoseKind::kVelocities ||
      HasRate(context.clip->motion.frame_time)) {
    return absl::OkStatus();
  }
  context.log->Add(IssueCode::TARGET_FRAME_TIME, {});
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = std::string(kFrameRateUnknown),
                        .message = "velocities need a frame time"});
}

}  // namespace bvhmill
