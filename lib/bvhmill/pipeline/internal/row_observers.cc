#include "bvhmill/pipeline/internal/row_observers.h"

#include <algorithm>

#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {
namespace {

// Nodes that are solved at once: 3 MB of positions, or 200 KB of landmarks.
constexpr int64_t kMaxNodes = 256 * 1024;
constexpr int64_t kMaxLandmarks = 16 * 1024;
// Units of work to solve and measure a node, and to measure a channel.
constexpr int64_t kNodeWork = 20;
constexpr int64_t kChannelWork = 40;

int64_t NodesOf(const Plan& plan) {
  return static_cast<int64_t>(plan.nodes.size());
}

int64_t BytesOf(const Plan& plan, int64_t frames) {
  if (plan.nodes.empty()) return 0;
  return 3 * frames * NodesOf(plan) * static_cast<int64_t>(sizeof(float)) +
         FkScratchBytes(plan);
}

}  // namespace

std::optional<ClipMeasures> RowObservers::Measures() const {
  if (!measures_) return std::nullopt;
  return measurer_->Measure();
}

bool RowObservers::DrawMeasures(int64_t frames) {
  if (!measures_ || has_failed_) return !has_failed_;
  const Skeleton& skeleton = compiled_->source->skeleton;
  const int64_t units =
      kNodeWork * static_cast<int64_t>(skeleton.nodes.size()) +
      kChannelWork * static_cast<int64_t>(skeleton.channels.size());
  has_failed_ = !budget_->Work(units * frames).ok();
  return !has_failed_;
}

bool RowObservers::NeedsPositions() const {
  if (measures_) return true;
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const auto& o) { return o->NeedsPositions(); });
}

bool RowObservers::Solves() const {
  return lists_data_ &&
         (NeedsPositions() || !compiled_->landmark_plan.nodes.empty());
}

int64_t RowObservers::MaxFrames() const {
  const int64_t landmarks =
      std::max<int64_t>(NodesOf(compiled_->landmark_plan), 1);
  int64_t frames = kMaxLandmarks / landmarks;
  if (NeedsPositions()) {
    const int64_t nodes = std::max<int64_t>(NodesOf(compiled_->plan), 1);
    frames = std::min(frames, kMaxNodes / nodes);
  }
  return std::max<int64_t>(frames, 1);
}

absl::Status RowObservers::Begin(const CompiledSkeleton& compiled,
                                 const ConvertOptions& options,
                                 double frame_time, int threads,
                                 Budget* budget) {
  compiled_ = &compiled;
  lists_data_ = measures_ || ListsData(options.report);
  frames_ = 0;
  budget_ = budget;
  has_failed_ = false;
  thresholds_ = Thresholds(options.report.thresholds);
  motion_ = {};
  motion_.reach = compiled.facts.reach;
  if (frame_time > 0 && frame_time < 0.2) motion_.dt = frame_time;
  const SourceSkeleton& read = *compiled.source;
  int64_t bytes = 0;
  ForEach([&](const RowObserver* observer) {
    bytes += observer->MemoryBytes(read.skeleton, compiled.facts);
  });
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes));
  kept_bytes_ = std::max(kept_bytes_, bytes);
  ForEach([&](RowObserver* observer) {
    observer->Begin({read.skeleton, compiled.facts, read.node_positions,
                     options.edits.source, frame_time, thresholds_, motion_});
  });
  if (!Solves()) return absl::OkStatus();
  const int64_t frames = MaxFrames();
  int64_t solved = BytesOf(compiled.landmark_plan, frames);
  if (NeedsPositions()) solved += BytesOf(compiled.plan, frames);
  return budget->Hold(threads * solved);
}

void RowObservers::SolvePlan(const Plan& plan, int64_t frames,
                             std::span<const float> values,
                             UninitializedVector<float>* positions,
                             UninitializedVector<float>* scratch) const {
  positions->resize(static_cast<size_t>(3 * frames * NodesOf(plan)));
  FkJob job;
  job.plan = &plan;
  job.frames = frames;
  job.values = values;
  job.with_end_sites = true;
  job.positions = *positions;
  job.scratch = scratch;
  job.Run();
}

void RowObservers::Solve(int64_t frames, std::span<const float> values,
                         TileBuffers* buffers) const {
  if (!CanSolve(frames)) return;
  if (NeedsPositions()) {
    SolvePlan(compiled_->plan, frames, values, &buffers->observed,
              &buffers->scratch);
  }
  if (!compiled_->landmark_plan.nodes.empty()) {
    SolvePlan(compiled_->landmark_plan, frames, values, &buffers->landmarks,
              &buffers->scratch);
  }
}

void RowObservers::Pass(int64_t frames, std::span<const float> values,
                        const TileBuffers* buffers) {
  if (!DrawMeasures(frames)) return;
  ObservedRows rows;
  rows.first_frame = frames_;
  rows.frames = frames;
  rows.values = values;
  if (buffers != nullptr && NeedsPositions())
    rows.positions = buffers->observed;
  if (buffers != nullptr && !compiled_->landmark_plan.nodes.empty()) {
    rows.landmarks = buffers->landmarks;
  }
  ForEach([&](RowObserver* observer) { observer->Add(rows); });
  frames_ += frames;
}

void RowObservers::Add(int64_t frames, std::span<const float> values,
                       bool is_solved, TileBuffers* buffers) {
  if (is_solved) return Pass(frames, values, buffers);
  const bool solves = Solves();
  const size_t width = compiled_->source->skeleton.channels.size();
  const int64_t most = MaxFrames();
  // Work fails if the conversion is cancelled.
  const auto goes_on = [&] { return !has_failed_ && budget_->Work(0).ok(); };
  for (int64_t done = 0; done < frames && goes_on(); done += most) {
    const int64_t count = std::min(most, frames - done);
    const auto part = values.subspan(static_cast<size_t>(done) * width,
                                     static_cast<size_t>(count) * width);
    if (solves) Solve(count, part, buffers);
    Pass(count, part, solves ? buffers : nullptr);
  }
}

void RowObservers::Truncate(int64_t frames) {
  if (frames >= frames_) return;
  ForEach([&](RowObserver* observer) { observer->Truncate(frames); });
  frames_ = frames;
}

void RowObservers::Finish(IssueLog* log) {
  motion_.frames = frames_;
  ForEach([&](RowObserver* observer) { observer->Finish(log); });
}

}  // namespace bvhmill
