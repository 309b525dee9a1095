#include "bvhmill/pipeline/internal/row_observers.h"

#include <algorithm>

#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {
namespace {

// Nodes that are solved at once: 3 MB of positions.
constexpr int64_t kMaxNodes = 256 * 1024;

int64_t NodesOf(const CompiledSkeleton& compiled) {
  return static_cast<int64_t>(compiled.plan.nodes.size());
}

}  // namespace

bool RowObservers::NeedsPositions() const {
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const auto& o) { return o->NeedsPositions(); });
}

int64_t RowObservers::MaxFrames() const {
  return std::max<int64_t>(
      kMaxNodes / std::max<int64_t>(NodesOf(*compiled_), 1), 1);
}

absl::Status RowObservers::Begin(const CompiledSkeleton& compiled,
                                 const ConvertOptions& options,
                                 double frame_time, int threads,
                                 Budget* budget) {
  compiled_ = &compiled;
  frames_ = 0;
  thresholds_ = Thresholds(options.report.thresholds);
  motion_ = {};
  const SourceSkeleton& read = *compiled.source;
  int64_t bytes = 0;
  for (const auto& observer : observers_) {
    bytes += observer->MemoryBytes(read.skeleton);
  }
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes));
  kept_bytes_ = std::max(kept_bytes_, bytes);
  for (const auto& observer : observers_) {
    observer->Begin({read.skeleton, compiled.facts, read.node_positions,
                     options.edits.source, frame_time, thresholds_, motion_});
  }
  if (!NeedsPositions()) return absl::OkStatus();
  const int64_t floats = 3 * MaxFrames() * NodesOf(compiled);
  return budget->Hold(threads * (floats * static_cast<int64_t>(sizeof(float)) +
                                 FkScratchBytes(compiled.plan)));
}

void RowObservers::Solve(int64_t frames, std::span<const float> values,
                         TileBuffers* buffers) const {
  if (!CanSolve(frames)) return;
  const int64_t floats = 3 * frames * NodesOf(*compiled_);
  buffers->observed.resize(static_cast<size_t>(floats));
  FkJob job;
  job.plan = &compiled_->plan;
  job.frames = frames;
  job.values = values;
  job.with_end_sites = true;
  job.positions = buffers->observed;
  job.scratch = &buffers->scratch;
  job.Run();
}

void RowObservers::Pass(int64_t frames, std::span<const float> values,
                        std::span<const float> positions) {
  const ObservedRows rows{frames_, frames, values, positions};
  for (const auto& observer : observers_) observer->Add(rows);
  frames_ += frames;
}

void RowObservers::Add(int64_t frames, std::span<const float> values,
                       bool is_solved, TileBuffers* buffers) {
  if (is_solved) return Pass(frames, values, buffers->observed);
  if (!NeedsPositions()) return Pass(frames, values, {});
  const auto width = static_cast<size_t>(compiled_->plan.columns);
  const int64_t most = MaxFrames();
  for (int64_t done = 0; done < frames; done += most) {
    const int64_t count = std::min(most, frames - done);
    const auto part = values.subspan(static_cast<size_t>(done) * width,
                                     static_cast<size_t>(count) * width);
    Solve(count, part, buffers);
    Pass(count, part, buffers->observed);
  }
}

void RowObservers::Truncate(int64_t frames) {
  if (frames >= frames_) return;
  for (const auto& observer : observers_) observer->Truncate(frames);
  frames_ = frames;
}

void RowObservers::Finish(IssueLog* log) {
  for (const auto& observer : observers_) observer->Finish(log);
}

}  // namespace bvhmill
