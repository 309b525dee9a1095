#include "bvhmill/encode/poses.h"

#include <algorithm>
#include <limits>
#include <string>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/rotation_kinds.h"

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
  // `whole` is empty, or gets the only array, of all frames. `write` may be
  // null.
  PosePass(std::span<const PoseArray> arrays, const EncodeContext& context,
           std::span<float> whole, const PoseWriter* write);

  absl::Status Run(PoseWorkspace* workspace);

 private:
  int64_t tiles() const { return (frames_ + step_ - 1) / step_; }
  // An array, and where its poses of a frame are.
  struct Part {
    const PoseArray& array;
    // Values of a frame, and those of the arrays before.
    int64_t values = 0;
    int64_t first_value = 0;
    // The same in PoseBuffers::solved, if the array is converted from there.
    bool is_converted = false;
    int64_t solved_values = 0;
    int64_t first_solved = 0;
  };
  static bool IsConverted(const PoseArray& array) {
    return IsRotations(array) &&
           SolvedKind(array.rotation_kind) != array.rotation_kind;
  }
  static std::span<float> PartOf(std::span<float> tile, int64_t first,
                                 int64_t values, int64_t frames) {
    return tile.subspan(static_cast<size_t>(first * frames),
                        static_cast<size_t>(values * frames));
  }
  int64_t WorkOfFrames(int64_t frames) const;
  absl::Status DrawBuffers(int threads, HeldMemory* memory) const;
  void Work(PoseBuffers* buffers);
  void Solve(int64_t first, int64_t frames, PoseBuffers* buffers) const;
  void SolvePart(const Part& part, int64_t first, int64_t frames,
                 PoseBuffers* buffers) const;
  template <typename Job>
  void SetPlace(const Part& part, int64_t first, int64_t frames,
                Job* job) const;
  void Convert(int64_t first, int64_t frames, PoseBuffers* buffers);
  absl::Status PassOn(int64_t first, int64_t frames, PoseBuffers* buffers);
  std::span<const float> Rows(int64_t first, int64_t end) const;

  const EncodeContext& context_;
  const Plan& plan_;
  const int64_t frames_;
  std::vector<Part> parts_;
  // Of the tile, and of PoseBuffers::solved.
  int64_t frame_values_ = 0;
  int64_t solved_values_ = 0;
  // Frames of a tile.
  const int64_t step_;
  const std::span<float> whole_;
  const PoseWriter* const write_;
  OrderedSequencer sequencer_;
  // Used only by the thread whose turn it is. One converter for each part.
  std::vector<RotationConverter> converters_;
  absl::Status status_;
};

// The poses of a tile fit the second-level cache.
int64_t TileFrames(const Plan& plan) {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan.nodes.size());
  return std::clamp<int64_t>(kTileNodes / std::max<int64_t>(nodes, 1), 1, 1024);
}

PosePass::PosePass(std::span<const PoseArray> arrays,
                   const EncodeContext& context, std::span<float> whole,
                   const PoseWriter* write)
    : context_(context),
      plan_(*context.plan),
      frames_(context.frames()),
      step_(TileFrames(plan_)),
      whole_(whole),
      write_(write) {
  for (const PoseArray& array : arrays) {
    const int64_t rows = bvhmill::RowsOf(plan_, array.with_end_sites);
    Part part{array, rows * WidthOf(array), frame_values_};
    part.is_converted = IsConverted(array);
    if (part.is_converted) {
      part.solved_values = rows * WidthOf(SolvedKind(array.rotation_kind));
      part.first_solved = solved_values_;
    }
    frame_values_ += part.values;
    solved_values_ += part.solved_values;
    parts_.push_back(part);
    converters_.emplace_back(array.rotation_kind, part.is_converted ? rows : 0);
  }
}

// Solving a node takes about as long as copying some numbers.
int64_t PosePass::WorkOfFrames(int64_t frames) const {
  constexpr int64_t kNodeWork = 6;
  constexpr int64_t kConvertWork = 30;
  constexpr int64_t kEulerWork = 500;
  int64_t node_units = 0;
  for (const Part& part : parts_) {
    node_units += kNodeWork + WidthOf(part.array);
    if (!part.is_converted) continue;
    node_units += IsEuler(part.array.rotation_kind) ? kEulerWork : kConvertWork;
  }
  const int64_t frame_units =
      1 + node_units * static_cast<int64_t>(plan_.nodes.size());
  int64_t units = 0;
  return __builtin_mul_overflow(frames, frame_units, &units)
             ? std::numeric_limits<int64_t>::max()
             : units;
}

absl::Status PosePass::DrawBuffers(int threads, HeldMemory* memory) const {
  int64_t values = solved_values_ + (whole_.empty() ? frame_values_ : 0);
  for (const Part& part : parts_) {
    if (part.array.kind == PoseKind::kVelocities) values += part.values;
  }
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
void PosePass::SetPlace(const Part& part, int64_t first, int64_t frames,
                        Job* job) const {
  job->plan = &plan_;
  job->frames = frames;
  job->with_end_sites = part.array.with_end_sites;
  if (whole_.empty() || part.is_converted) return;
  job->layout = part.array.layout;
  job->array_frames = frames_;
  job->first_frame = first;
}

void PosePass::Solve(int64_t first, int64_t frames,
                     PoseBuffers* buffers) const {
  const Timer timer(&buffers->solve);
  if (whole_.empty()) {
    buffers->tile.resize(static_cast<size_t>(frames * frame_values_));
  }
  buffers->solved.resize(static_cast<size_t>(frames * solved_values_));
  for (const Part& part : parts_) SolvePart(part, first, frames, buffers);
}

void PosePass::SolvePart(const Part& part, int64_t first, int64_t frames,
                         PoseBuffers* buffers) const {
  const PoseArray& array = part.array;
  std::span<float> out = whole_;
  if (part.is_converted) {
    out =
        PartOf(buffers->solved, part.first_solved, part.solved_values, frames);
  } else if (whole_.empty()) {
    out = PartOf(buffers->tile, part.first_value, part.values, frames);
  }
  if (array.kind == PoseKind::kVelocities) {
    VelocityJob job;
    SetPlace(part, first, frames, &job);
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
  SetPlace(part, first, frames, &job);
  job.values = Rows(first, first + frames);
  job.scratch = &buffers->scratch;
  job.rotation_kind = SolvedKind(array.rotation_kind);
  job.target = SolvedBy(array.rotation_kind);
  (array.kind == PoseKind::kPositions        ? job.positions
   : array.kind == PoseKind::kLocalRotations ? job.local_rotations
                                             : job.world_rotations) = out;
  job.Run();
}

// Converts the rotations of a tile, after those of all tiles before it.
void PosePass::Convert(int64_t first, int64_t frames, PoseBuffers* buffers) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (!part.is_converted) continue;
    const std::span<float> solved =
        PartOf(buffers->solved, part.first_solved, part.solved_values, frames);
    if (whole_.empty()) {
      converters_[i].Convert(
          frames, solved,
          PartOf(buffers->tile, part.first_value, part.values, frames));
    } else if (part.array.layout == TensorLayout::kJointMajor) {
      converters_[i].ConvertJointMajor(frames, solved, frames_, whole_);
    } else {
      converters_[i].Convert(
          frames, solved,
          whole_.subspan(static_cast<size_t>(first * part.values),
                         static_cast<size_t>(frames * part.values)));
    }
  }
}

absl::Status PosePass::PassOn(int64_t first, int64_t frames,
                              PoseBuffers* buffers) {
  const Timer timer(&buffers->write);
  BVHMILL_RETURN_IF_ERROR(WorkFrom(context_.budget, WorkOfFrames(frames)));
  Convert(first, frames, buffers);
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
  for (const Part& part : parts_) {
    BVHMILL_RETURN_IF_ERROR(CheckRate(part.array, context_));
  }
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
  return IsRotations(array) ? WidthOf(array.rotation_kind) : 3;
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
    floats += buffers.tile.capacity() + buffers.solved.capacity() +
              buffers.positions.capacity() + buffers.scratch.capacity();
  }
  return floats * sizeof(float);
}

absl::Status WritePoses(const PoseArray& array, const EncodeContext& context,
                        const PoseWriter& write) {
  return WritePoses(std::span(&array, 1), context, write);
}

absl::Status WritePoses(std::span<const PoseArray> arrays,
                        const EncodeContext& context, const PoseWriter& write) {
  return PosePass(arrays, context, {}, &write).Run(context.poses);
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
      PosePass(std::span(&array, 1), context, whole, nullptr)
          .Run(context.poses));
  return write(BytesOf(std::span<const float>(whole)));
}

absl::Status CheckRate(const PoseArray& array, const EncodeContext& context) {
  if (array.kind != PoseKind::kVelocities ||
      HasRate(context.clip->motion.frame_time)) {
    return absl::OkStatus();
  }
  context.log->Add(IssueCode::TARGET_FRAME_TIME, {},
                   {{"output", "velocities"}});
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = std::string(kFrameRateUnknown),
                        .message = "velocities need a frame time"});
}

}  // namespace bvhmill
