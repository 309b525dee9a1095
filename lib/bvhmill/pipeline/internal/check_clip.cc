#include "bvhmill/pipeline/internal/check_clip.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/clip/reach.h"
#include "bvhmill/edit/name_index.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/validate.h"

namespace bvhmill {
namespace {

// Nodes that are solved and measured at once: 3 MB of positions.
constexpr int64_t kMaxNodes = 256 * 1024;
// Frames whose landmarks one thread solves.
constexpr int64_t kLandmarkFrames = 4096;
// Units of work to solve and measure a node, and to measure a channel.
constexpr int64_t kMeasuredNodeWork = 20;
constexpr int64_t kChannelWork = 40;

int64_t NodesOf(const Plan& plan) {
  return static_cast<int64_t>(plan.nodes.size());
}

// Bytes of the positions of `frames` frames, and of solving them.
int64_t PositionBytes(const Plan& plan, int64_t frames) {
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

MotionFacts FactsOf(const CompiledSkeleton& skeleton,
                    const ConvertOptions& options, const Motion& motion) {
  MotionFacts facts;
  facts.frames = motion.frames;
  facts.reach = skeleton.facts.positioned_joints.empty()
                    ? skeleton.facts.reach
                    : ReachOf(skeleton.source->skeleton, options.conventions,
                              motion.frames, motion.values);
  facts.dt = MotionFrameTime(motion.frame_time);
  facts.stated_root =
      FindStatedRoot(options.edits.body_root, skeleton.source->skeleton,
                     options.conventions.joint_positions);
  return facts;
}

// Solves the landmarks of the judged frames into memory->landmarks.
absl::Status SolveLandmarks(const Plan& plan, const Motion& motion,
                            int64_t step, Parallel* parallel, Budget* budget,
                            CheckMemory* memory) {
  const int64_t frames = (motion.frames + step - 1) / step;
  const int64_t tasks = (frames + kLandmarkFrames - 1) / kLandmarkFrames;
  // The floor rules hold the lowest heights, and copy them once.
  constexpr auto kHeightBytes = static_cast<int64_t>(2 * sizeof(float));
  const int64_t bytes = PositionBytes(plan, frames) + kHeightBytes * frames +
                        parallel->threads() * FkScratchBytes(plan);
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes));
  memory->landmarks.resize(static_cast<size_t>(3 * frames * NodesOf(plan)));
  const auto solve = [&](int64_t first, int64_t end,
                         UninitializedVector<float>* scratch) {
    FkJob job;
    job.plan = &plan;
    job.frames = end - first;
    job.row_step = step;
    job.values =
        std::span(motion.values)
            .subspan(static_cast<size_t>(first * step * plan.columns),
                     static_cast<size_t>(((job.frames - 1) * step + 1) *
                                         plan.columns));
    job.with_end_sites = true;
    job.layout = TensorLayout::kJointMajor;
    job.array_frames = frames;
    job.first_frame = first;
    job.positions = memory->landmarks;
    job.scratch = scratch;
    job.Run();
  };
  if (tasks == 1) {
    solve(0, frames, &memory->scratch);
    return absl::OkStatus();
  }
  parallel->Run(tasks, [&](int64_t i) {
    // It fails if the conversion is cancelled.
    if (!budget->Work(0).ok()) return;
    UninitializedVector<float> scratch;
    const int64_t first = i * kLandmarkFrames;
    solve(first, std::min(first + kLandmarkFrames, frames), &scratch);
  });
  return budget->Work(0);
}

absl::Status MeasureClip(const CheckedClip& clip, const Plan& plan,
                         Budget* budget, CheckMemory* memory,
                         std::optional<ClipMeasures>* measures) {
  const int64_t most =
      std::clamp<int64_t>(kMaxNodes / std::max<int64_t>(NodesOf(plan), 1), 1,
                          std::max<int64_t>(clip.frames, 1));
  const int64_t bytes =
      ClipMeasurer::MemoryBytes(clip.skeleton) + PositionBytes(plan, most);
  BVHMILL_RETURN_IF_ERROR(budget->Hold(bytes));
  const auto channels = static_cast<int64_t>(clip.skeleton.channels.size());
  const int64_t work =
      kMeasuredNodeWork * NodesOf(plan) + kChannelWork * channels;
  ClipMeasurer measurer(clip);
  for (int64_t first = 0; first < clip.frames; first += most) {
    const int64_t frames = std::min(most, clip.frames - first);
    BVHMILL_RETURN_IF_ERROR(budget->Work(work * frames));
    memory->positions.resize(static_cast<size_t>(3 * frames * NodesOf(plan)));
    FkJob job;
    job.plan = &plan;
    job.frames = frames;
    job.values = clip.values.subspan(static_cast<size_t>(first * channels),
                                     static_cast<size_t>(frames * channels));
    job.with_end_sites = true;
    job.positions = memory->positions;
    job.scratch = &memory->scratch;
    job.Run();
    measurer.Add(frames, memory->positions);
  }
  *measures = measurer.Measure();
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckClip(const CompiledSkeleton& skeleton,
                       const ConvertOptions& options, const Motion& motion,
                       Parallel* parallel, Budget* budget, CheckMemory* memory,
                       IssueLog* log, std::optional<ClipMeasures>* measures) {
  MotionFacts facts = FactsOf(skeleton, options, motion);
  const Thresholds thresholds(options.report.thresholds);
  const bool with_data = options.measures || ListsData(options.report);
  const SourceSkeleton& source = *skeleton.source;
  memory->landmarks.clear();
  const bool has_floor = with_data && !skeleton.landmark_plan.nodes.empty() &&
                         facts.reach > 0 && motion.frames > 0;
  if (has_floor) {
    BVHMILL_RETURN_IF_ERROR(SolveLandmarks(skeleton.landmark_plan, motion,
                                           LandmarkStep(facts.dt), parallel,
                                           budget, memory));
  }
  const CheckedClip clip = {source.skeleton,
                            skeleton.facts,
                            source.node_positions,
                            options.edits.source,
                            motion.frame_time,
                            thresholds,
                            facts,
                            options.conventions,
                            motion.frames,
                            motion.values,
                            memory->landmarks};
  BVHMILL_RETURN_IF_ERROR(
      Validate(clip, with_data, parallel, budget, &memory->motion, log));
  if (!options.measures) return absl::OkStatus();
  return MeasureClip(clip, skeleton.plan, budget, memory, measures);
}

}  // namespace bvhmill
