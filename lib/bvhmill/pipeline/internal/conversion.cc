#include "bvhmill/pipeline/internal/conversion.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/repair/repair_clip.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/finalize_report.h"
#include "bvhmill/pipeline/internal/outputs.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

// The error of edits that failed with `status` on a clip: INVALID_ARGUMENT gets
// the reason EDIT_DOES_NOT_FIT, since options that fit no clip are refused
// before the clip is read.
absl::Status ErrorOfEdit(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  CallError error = CallErrorOf(status);
  error.reason = "EDIT_DOES_NOT_FIT";
  error.args = {{"why", error.message}};
  return MakeCallError(std::move(error));
}

// The unit of the edited clip; 0 if it is not known.
double UnitOf(const ClipEdits& edits) {
  return edits.meters_per_unit > 0 ? edits.meters_per_unit
                                   : edits.source.meters_per_unit;
}

// The up axis of the edited clip, if it is stated.
UpAxis UpOf(const ClipEdits& edits) {
  return edits.up_axis != UpAxis::kUnknown ? edits.up_axis
                                           : edits.source.up_axis;
}

}  // namespace

Conversion::Conversion(const ConvertOptions& options, OutputReceiver* receiver,
                       const CancelToken* cancel, Parallel* parallel,
                       Workspace* workspace, ConvertResult* result)
    : options_(options),
      receiver_(receiver),
      cancel_(cancel),
      parallel_(*parallel),
      workspace_(*workspace),
      result_(*result),
      has_edits_(!IsEmpty(options.edits)),
      budget_(options.limits, cancel, HolderOf(receiver)) {
  Reset(result);
  result->status = CheckOptions(options);
  if (!result->status.ok()) {
    result->info = {};
    result->outputs.clear();
    return;
  }
  log_.emplace(LogOptions(options));
  LogUnknownFields(options, &*log_);
  workspace_.ReleaseClip();
  workspace_.poses.ClearTimes();
}

ReadOptions Conversion::HowToRead() {
  ReadOptions how;
  how.limits = options_.limits;
  how.name_encoding = options_.name_encoding;
  how.cancel = cancel_;
  how.cache = &workspace_.cache;
  how.budget = &budget_;
  how.parallel = parallel_.threads() > 1 ? &parallel_ : nullptr;
  return how;
}

void Conversion::Announce() {
  // A file may state any number of frames; sizes of this many do not overflow.
  constexpr int64_t kMostFrames = int64_t{1} << 31;
  const ParsedClip& read = workspace_.read;
  const bool is_known = read.skeleton_read && read.motion_read;
  if (!is_known || has_begun_ || has_edits_ || !GivesOutputs(options_)) return;
  has_begun_ = true;
  const int64_t frames = std::min(read.declared_frames, kMostFrames);
  const Skeleton& skeleton = read.source->skeleton;
  result_.info = DescribeClip(skeleton, frames, read.motion.frame_time);
  DescribeOutputs(options_, skeleton, frames, &result_);
  for (OutputInfo& output : result_.outputs) output.size_bytes = -1;
  announced_ = receiver_->Begin(result_.info, result_.outputs);
}

// Derives the data of the skeleton, and applies the rules to a clip that was
// read to its end.
absl::Status Conversion::CheckRules() {
  const ParsedClip& read = workspace_.read;
  BVHMILL_RETURN_IF_ERROR(DrawSkeleton(read.source->skeleton, &budget_));
  const bool needs_plan =
      (!options_.outputs.empty() && !has_edits_) || options_.measures;
  compiled_ = workspace_.compiler.Compile(read.source, needs_plan,
                                          options_.conventions);
  if (!read.motion_read) return absl::OkStatus();
  return CheckClip(*compiled_, options_, read.motion, &parallel_, &budget_,
                   &workspace_.check, &*log_, &result_.measures);
}

// A failure is one of the budget, which keeps it.
void Conversion::Check() {
  const StageTimer timer(&result_.times.validate);
  CheckRules().IgnoreError();
}

void Conversion::Finish() {
  if (!is_good()) return;
  const ParsedClip& read = workspace_.read;
  if (read.skeleton_read && budget_.failure().ok()) Check();
  if (const absl::Status refused = budget_.failure(); !refused.ok()) {
    RefuseUnread(refused, &result_);
    return result_.outputs.clear();
  }
  // A clip that is cancelled may have a skeleton that was not compiled.
  const bool has_skeleton = read.skeleton_read && compiled_ != nullptr;
  FinalizeReport({has_skeleton, read.motion_read, compiled_.get(),
                  read.motion.frames, read.motion.frame_time},
                 options_.report, cancel_, &*log_, &result_);
  if (result_.status.ok()) result_.status = EditAndEncode();
  for (const PoseBuffers& buffers : workspace_.poses.threads) {
    result_.times.solve += buffers.solve;
    result_.times.encode += buffers.write;
  }
  if (!result_.status.ok()) result_.skeleton.reset();
  // No output was made, or none was given to the receiver.
  if (!result_.status.ok() || !GivesOutputs(options_)) result_.outputs.clear();
}

absl::Status Conversion::EditAndEncode() {
  if (options_.outputs.empty() && !has_edits_) return KeepSkeleton();
  BVHMILL_RETURN_IF_ERROR(MakeClip());
  if (has_edits_) BVHMILL_RETURN_IF_ERROR(Edit());
  BVHMILL_RETURN_IF_ERROR(KeepSkeleton());
  return options_.outputs.empty() ? absl::OkStatus() : EncodeOutputs();
}

// The clip that is edited and encoded, with the rows that were read.
absl::Status Conversion::MakeClip() {
  const Skeleton& skeleton = workspace_.read.source->skeleton;
  BVHMILL_RETURN_IF_ERROR(budget_.Hold(SkeletonBytes(skeleton)));
  workspace_.clip.skeleton = skeleton;
  std::swap(workspace_.clip.motion, workspace_.read.motion);
  return absl::OkStatus();
}

// Repairs and edits the clip, describes it anew, and adds the issues of both to
// the report.
absl::Status Conversion::Edit() {
  const StageTimer timer(&result_.times.edit);
  Clip& clip = workspace_.clip;
  IssueLog log(LogOptions(options_));
  absl::Status status =
      RepairClip(options_.edits.repairs, Thresholds(options_.report.thresholds),
                 &budget_, &clip, &log);
  if (status.ok()) {
    ClipEdits others = options_.edits;
    others.repairs = {};
    if (!IsEmpty(others)) {
      status = EditClip(others, options_.conventions, options_.limits, &budget_,
                        &clip, &log, &workspace_.spare_values);
    }
    if (status.ok()) status = DrawDescription(clip.skeleton, &budget_);
    status = ErrorOfEdit(status);
  }
  AddToReport(log.Finish(/*skeleton_read=*/true, /*motion_read=*/true),
              &result_.report);
  BVHMILL_RETURN_IF_ERROR(status);
  result_.info =
      DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time);
  return absl::OkStatus();
}

absl::Status Conversion::KeepSkeleton() {
  if (!options_.with_skeleton) return absl::OkStatus();
  result_.skeleton = workspace_.read.source;
  if (!has_edits_) return absl::OkStatus();
  const Skeleton& skeleton = workspace_.clip.skeleton;
  BVHMILL_RETURN_IF_ERROR(budget_.Hold(SkeletonBytes(skeleton)));
  result_.skeleton =
      std::make_shared<SourceSkeleton>(SourceSkeleton{skeleton, {}});
  return absl::OkStatus();
}

absl::Status Conversion::EncodeOutputs() {
  EncodeContext context;
  context.clip = &workspace_.clip;
  context.plan = &compiled_->plan;
  if (has_edits_) {
    MakePlanInto(context.clip->skeleton, options_.conventions,
                 &workspace_.edited_plan);
    context.plan = &workspace_.edited_plan;
  }
  context.conventions = options_.conventions;
  context.meters_per_unit = UnitOf(options_.edits);
  context.up_axis = UpOf(options_.edits);
  context.budget = &budget_;
  context.parallel = &parallel_;
  context.poses = &workspace_.poses;
  BVHMILL_RETURN_IF_ERROR(announced_);
  return MakeOutputs(options_, context, receiver_, has_begun_, &result_);
}

}  // namespace bvhmill
