#include "bvhmill/pipeline/internal/row_observers.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/edit/name_index.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/floor/landmarks.h"

namespace bvhmill {
namespace {

// Nodes that are solved at once: 3 MB of positions, or 200 KB of landmarks.
constexpr int64_t kMaxNodes = 256 * 1024;
constexpr int64_t kMaxLandmarks = 16 * 1024;
// Units of work to solve and measure a node, and to measure a channel.
constexpr int64_t kObservedNodeWork = 20;
constexpr int64_t kChannelWork = 40;

int64_t NodesOf(const Plan& plan) {
  return static_cast<int64_t>(plan.nodes.size());
}

int64_t BytesOf(const Plan& plan, int64_t frames) {
  if (plan.nodes.empty()) return 0;
  return 3 * frames * NodesOf(plan) * static_cast<int64_t>(sizeof(float)) +
         FkScratchBytes(plan);
}

// The first joint that `name` means, if it can carry a body; -1 if there is
// none.
int32_t FindStatedRoot(const std::string& name, const Skeleton& skeleton,
                       JointPositions reading) {
  if (name.empty()) return -1;
  const NameIndex index = MakeNameIndex(skeleton);
  const auto found = FindName(index, name);
  const bool fits =
      !found.empty() && CanCarry(skeleton, found[0].node, reading);
  return fits ? found[0].node : -1;
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
      kObservedNodeWork * static_cast<int64_t>(skeleton.nodes.size()) +
      kChannelWork * static_cast<int64_t>(skeleton.channels.size());
  has_failed_ = !budget_->Work(units * frames).ok();
  return !has_failed_;
}

bool RowObservers::NeedsPositions() const {
  if (measures_) return true;
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const auto& o) { return o->NeedsPositions(); });
}

int64_t RowObservers::MaxSolved() const {
  return std::max<int64_t>(
      kMaxNodes / std::max<int64_t>(NodesOf(compiled_->plan), 1), 1);
}

int64_t RowObservers::MaxJudged() const {
  return std::max<int64_t>(
      kMaxLandmarks / std::max<int64_t>(NodesOf(compiled_->landmark_plan), 1),
      1);
}

int64_t RowObservers::MaxPassed() const {
  const int64_t frames = MaxJudged() * landmark_step_;
  return NeedsPositions() ? std::min(frames, MaxSolved()) : frames;
}

absl::Status RowObservers::Begin(const CompiledSkeleton& compiled,
                                 const ConvertOptions& options,
                                 double frame_time, Budget* budget) {
  compiled_ = &compiled;
  lists_data_ = measures_ || ListsData(options.report);
  frames_ = 0;
  budget_ = budget;
  has_failed_ = false;
  thresholds_ = Thresholds(options.report.thresholds);
  motion_ = {};
  motion_.reach = compiled.facts.reach;
  motion_.dt = MotionFrameTime(frame_time);
  const SourceSkeleton& read = *compiled.source;
  motion_.stated_root = FindStatedRoot(options.edits.body_root, read.skeleton,
                                       options.conventions.joint_positions);
  int64_t bytes = 0;
  ForEach([&](const RowObserver* observer) {
    bytes += observer->MemoryBytes(read.skeleton, compiled.facts);
  });
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes));
  kept_bytes_ = std::max(kept_bytes_, bytes);
  ForEach([&](RowObserver* observer) {
    observer->Begin({read.skeleton, compiled.facts, read.node_positions,
                     options.edits.source, frame_time, thresholds_, motion_,
                     options.conventions});
  });
  landmark_step_ = LandmarkStep(motion_.dt);
  if (!lists_data_) return absl::OkStatus();
  int64_t solved = BytesOf(compiled.landmark_plan, MaxJudged());
  kept_bytes_ = std::max(kept_bytes_, bytes + solved);
  if (NeedsPositions()) solved += BytesOf(compiled.plan, MaxSolved());
  return budget->Hold(solved);
}

std::span<const float> RowObservers::SolvePositions(
    int64_t frames, std::span<const float> values) {
  if (!lists_data_ || !NeedsPositions()) return {};
  positions_.resize(static_cast<size_t>(3 * frames * NodesOf(compiled_->plan)));
  FkJob job;
  job.plan = &compiled_->plan;
  job.frames = frames;
  job.values = values;
  job.with_end_sites = true;
  job.positions = positions_;
  job.scratch = &scratch_;
  job.Run();
  return positions_;
}

void RowObservers::SolveLandmarks(int64_t frames,
                                  std::span<const float> values) {
  landmarks_.clear();
  const Plan& plan = compiled_->landmark_plan;
  const int64_t step = landmark_step_;
  const int64_t first = (step - frames_ % step) % step;
  if (plan.nodes.empty() || first >= frames) return;
  FkJob job;
  job.plan = &plan;
  job.frames = (frames - first + step - 1) / step;
  job.row_step = step;
  job.values = values.subspan(
      static_cast<size_t>(first * plan.columns),
      static_cast<size_t>(((job.frames - 1) * step + 1) * plan.columns));
  job.with_end_sites = true;
  job.layout = TensorLayout::kJointMajor;
  landmarks_.resize(static_cast<size_t>(3 * job.frames * NodesOf(plan)));
  job.positions = landmarks_;
  job.scratch = &scratch_;
  job.Run();
}

void RowObservers::Pass(int64_t frames, std::span<const float> values) {
  if (!DrawMeasures(frames)) return;
  if (lists_data_) SolveLandmarks(frames, values);
  ObservedRows rows;
  rows.first_frame = frames_;
  rows.frames = frames;
  rows.values = values;
  rows.positions = SolvePositions(frames, values);
  rows.landmarks = landmarks_;
  ForEach([&](RowObserver* observer) { observer->Add(rows); });
  frames_ += frames;
}

void RowObservers::Add(int64_t frames, std::span<const float> values) {
  const size_t width = compiled_->source->skeleton.channels.size();
  const int64_t most = MaxPassed();
  // Work fails if the conversion is cancelled.
  const auto goes_on = [&] { return !has_failed_ && budget_->Work(0).ok(); };
  for (int64_t done = 0; done < frames && goes_on(); done += most) {
    const int64_t count = std::min(most, frames - done);
    Pass(count, values.subspan(static_cast<size_t>(done) * width,
                               static_cast<size_t>(count) * width));
  }
}

void RowObservers::Finish(IssueLog* log) {
  motion_.frames = frames_;
  ForEach([&](RowObserver* observer) { observer->Finish(log); });
}

}  // namespace bvhmill
