#include "bvhmill/pipeline/internal/check_clip.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/report/report.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/floor/landmarks.h"
#include "bvhmill/validate/validate.h"

namespace bvhmill {

std::shared_ptr<const CompiledSkeleton> SkeletonCompiler::Compile(
    const SharedSkeleton& source, bool needs_plan,
    const Conventions& conventions) {
  const bool is_known = last_ != nullptr && last_->source == source;
  const bool is_same = is_known && last_->conventions == conventions;
  if (is_same && (last_->has_plan || !needs_plan)) return last_;
  const auto made = std::make_shared<CompiledSkeleton>();
  made->source = source;
  if (is_known) {
    made->facts = last_->facts;
    made->info = last_->info;
  } else {
    FindFacts(source->skeleton, &made->facts);
    made->info = DescribeClip(source->skeleton, 0, 0);
  }
  if (needs_plan) made->plan = MakePlan(source->skeleton, conventions);
  made->landmark_plan = MakePlan(
      LandmarkSkeleton(source->skeleton, made->facts.landmarks), conventions);
  made->has_plan = needs_plan;
  made->conventions = conventions;
  last_ = made;
  return last_;
}

void SkeletonCompiler::KeepOnly(const SharedSkeleton& source) {
  if (last_ != nullptr && last_->source != source) last_.reset();
}

namespace {

// The most nodes that are solved and measured at once: 3 MB of positions.
constexpr int64_t kMaxNodes = 256 * 1024;
// Frames whose landmarks one thread solves.
constexpr int64_t kLandmarkFrames = 4096;
// Units of work to solve and measure a node, and to measure a channel.
constexpr int64_t kMeasuredNodeWork = 20;
constexpr int64_t kChannelWork = 40;

int64_t NodesOf(const Plan& plan) {
  return static_cast<int64_t>(plan.nodes.size());
}

// Bytes of the positions of `frames` frames, and of the memory to solve them.
int64_t PositionBytes(const Plan& plan, int64_t frames) {
  if (plan.nodes.empty()) return 0;
  return 3 * frames * NodesOf(plan) * static_cast<int64_t>(sizeof(float)) +
         FkScratchBytes(plan);
}

// The first joint called `name`, if it can carry a body; else -1.
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
  // The floor rules keep the lowest heights and one copy of them.
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
    // Fails if the conversion is cancelled.
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

namespace {

constexpr std::string_view kLimitPrefix = "LIMIT_";

// LIMIT_JOINTS -> max_joints: the field of Limits that an issue is about.
std::string LimitName(std::string_view code) {
  std::string name = "max_" + std::string(code.substr(kLimitPrefix.size()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name;
}

// True if the caller has lowered the severity of an error in the list.
bool HasLowered(const Report& report, const ReportOptions& options) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [&](const Issue& issue) {
        const CatalogueEntry* entry = FindEntry(issue.code);
        return entry != nullptr && entry->strict == Severity::kError &&
               options.severities.contains(issue.code);
      });
}

// The status of a clip whose faults are no errors in the report.
absl::Status RefusalOfHidden(const Report& report,
                             const ReportOptions& options) {
  return MakeCallError(
      {.code = absl::StatusCode::kInvalidArgument,
       .reason = "CLIP_BROKEN",
       .message = HasLowered(report, options)
                      ? "the clip is broken; the severities of its faults are "
                        "lowered by request"
                      : "the clip is broken; the codes of its faults are "
                        "ignored by request"});
}

// The status of a clip that the report refuses.
absl::Status Refusal(const Report& report, const ReportOptions& options) {
  const Issue* error = FirstError(report);
  if (error == nullptr) return RefusalOfHidden(report, options);
  const bool is_limit = error->code.starts_with(kLimitPrefix);
  return ErrorOf(is_limit ? absl::StatusCode::kResourceExhausted
                          : absl::StatusCode::kInvalidArgument,
                 *error);
}

}  // namespace

void DescribeClip(const CompiledSkeleton& skeleton, int64_t frames,
                  double frame_time, ClipInfo* info) {
  *info = skeleton.info;
  SetFrames(frames, frame_time, info);
}

ReportOptions LogOptions(const ConvertOptions& options) {
  ReportOptions report = options.report;
  if (report.max_issues == 0)
    report.max_issues = options.limits.max_issues_per_report;
  return report;
}

void LogUnknownFields(const ConvertOptions& options, IssueLog* log) {
  std::string fields;
  for (const std::string& field : options.unknown_fields) {
    fields += (fields.empty() ? "" : ", ") + field;
  }
  if (fields.empty()) return;
  log->Add(IssueCode::REQUEST_FIELD_UNKNOWN, {}, {{"fields", fields}},
           static_cast<int64_t>(options.unknown_fields.size()));
}

void Reset(ConvertResult* result) {
  result->status = absl::OkStatus();
  result->report.issues.clear();
  result->skeleton.reset();
  result->measures.reset();
  result->times = {};
}

void RefuseUnread(const absl::Status& status, ConvertResult* result) {
  result->status = status;
  result->report = {};
  result->info = {};
  result->measures.reset();
}

void FinalizeReport(const ClipRead& read, const ReportOptions& options,
                    const CancelToken* cancel, IssueLog* log,
                    ConvertResult* result) {
  if (read.skeleton_read) {
    DescribeClip(*read.skeleton, read.frames, read.frame_time, &result->info);
  } else {
    result->info = {};
  }
  result->report = log->Finish(read.skeleton_read, read.motion_read);
  if (IsCancelled(cancel)) {
    result->status = MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  } else if (!IsGood(result->report.verdict)) {
    result->status = Refusal(result->report, options);
  }
  if (!result->status.ok()) result->measures.reset();
}

absl::Status ErrorOf(absl::StatusCode code, const Issue& issue) {
  CallError error{.code = code, .reason = issue.code};
  ErrorArgs metadata = issue.args;
  if (issue.code.starts_with(kLimitPrefix)) {
    metadata.emplace_back("limit_name", LimitName(issue.code));
  }
  SetMetadata(std::move(metadata), &error);
  const Location& at = issue.location;
  const auto put = [&error](const char* name, const auto& value) {
    if (value) error.args.emplace_back(name, std::to_string(*value));
  };
  put("line", at.line);
  put("column", at.column);
  put("byte_offset", at.byte_offset);
  put("frame", at.frame);
  put("channel", at.channel);
  if (at.joint) {
    put("joint_index", at.joint);
    error.args.emplace_back("joint_name", at.joint_name);
  }
  error.message = RenderIssue(issue);
  return MakeCallError(std::move(error));
}

}  // namespace bvhmill
