// The end of a conversion: reports, edits and outputs of all rows.

#include <algorithm>
#include <memory>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/edit_stage.h"
#include "bvhmill/pipeline/internal/finalize_report.h"
#include "bvhmill/pipeline/internal/outputs/encode_clip.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"

namespace bvhmill {

bool RowPipeline::Finalize(const StreamResult& read) {
  read_frames_ = read.frames;
  // Readers do not deliver frames without values.
  if (observes_ && header_->width() == 0) {
    Observe(read.frames - workspace_.observers.frames(), {});
  }
  if (const absl::Status refused = budget_.failure(); !refused.ok()) {
    RefuseUnread(refused, &result_);
    return false;
  }
  RowObservers& observers = workspace_.observers;
  if (observes_) observers.Truncate(read.frames);
  // A clip that is cancelled may have a skeleton that was not compiled.
  const bool has_skeleton = read.skeleton_read && compiled_ != nullptr;
  FinalizeReport({has_skeleton, read.motion_read, compiled_.get(), read.frames,
                  header_ ? header_->frame_time : 0},
                 &observers, options_.report, cancel_, &*log_, &result_);
  if (!result_.status.ok()) Fail(result_.status);
  return result_.status.ok();
}

// Rows after a failure of outputs were not edited. The result is then that of
// the edits if they do not fit the clip, as it is when the clip is read first.
void RowPipeline::CheckEdits() {
  const absl::Status status = editor_.CheckFit(read_frames_);
  if (!status.ok()) {
    status_ = ErrorOfEdit(status);
    stage_.DropReport();
    return;
  }
  result_.info = DescribeClip(
      editor_.skeleton(), editor_.FramesOf(read_frames_), editor_.frame_time());
}

void RowPipeline::EndRows() {
  if (keeps_rows()) {
    const Skeleton& skeleton =
        editor_.has_begun() ? editor_.skeleton() : header_->skeleton();
    Fail(budget_.Hold(SkeletonBytes(skeleton)));
    if (!status_.ok()) return;
    Clip clip;
    clip.skeleton = skeleton;
    clip.motion.frames = fed_;
    clip.motion.frame_time =
        editor_.has_begun() ? editor_.frame_time() : header_->frame_time;
    clip.motion.values.swap(kept_.values);
    result_.info =
        DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time);
    return EncodeClipOf(clip);
  }
  if (stage_.plan().NeedsNeighbours()) {
    SolveAndAdd(window_.Take(/*is_end=*/true));
  }
  if (!makes_outputs_) return;
  Fail(stage_.End(fed_, &workspace_.tiles[0]));
}

void RowPipeline::EndOutputs() {
  if (edits_at_end()) {
    Motion& motion = workspace_.read.motion;
    motion.frames = fed_;
    motion.frame_time = header_->frame_time;
    motion.values.swap(kept_.values);
    return EncodeWhole();
  }
  if (outputs_failed_ && editor_.has_begun()) CheckEdits();
  if (status_.ok() && editor_.has_begun()) {
    const absl::Status status = editor_.End();
    if (!status.ok()) return Fail(ErrorOfEdit(status));
    result_.info = DescribeClip(editor_.skeleton(), fed_, editor_.frame_time());
    KeepSkeleton(editor_.skeleton());
  }
  if (status_.ok() && has_outputs()) EndRows();
}

void RowPipeline::EncodeClipOf(const Clip& clip) {
  Fail(EncodeClip(clip, has_edits() ? nullptr : compiled_.get(), &parallel_,
                  receiver_, &budget_, &workspace_, &result_));
}

void RowPipeline::EncodeWhole() {
  if (!has_outputs() && !has_edits()) return;
  Fail(budget_.Hold(SkeletonBytes(header_->skeleton())));
  if (!status_.ok()) return;
  Clip& clip = workspace_.clip;
  clip.skeleton = header_->skeleton();
  std::swap(clip.motion, workspace_.read.motion);
  edit_log_.emplace(LogOptions(options_));
  Fail(EditStage(options_, &budget_, &workspace_, &*edit_log_, &result_));
  KeepSkeleton(clip.skeleton);
  if (status_.ok() && has_outputs()) EncodeClipOf(clip);
}

// Copies the skeleton of an edited clip, if it is asked for.
void RowPipeline::KeepSkeleton(const Skeleton& skeleton) {
  if (!options_.with_skeleton || !has_edits() || !status_.ok()) return;
  Fail(budget_.Hold(SkeletonBytes(skeleton)));
  if (!status_.ok()) return;
  result_.skeleton =
      std::make_shared<SourceSkeleton>(SourceSkeleton{skeleton, {}});
}

void RowPipeline::AddTimes(int threads) {
  StageTimes& times = result_.times;
  for (const TileBuffers& buffers : workspace_.tiles) {
    times.solve += buffers.solve;
    times.encode += buffers.encode;
  }
  if (threads == 0) return;
  const auto within = (times.solve + times.encode + times.edit) / threads;
  times.read = std::max(times.read - within, std::chrono::nanoseconds{0});
}

void RowPipeline::Finish(int threads) {
  if (!is_good()) return;
  if (result_.status.ok()) {
    result_.status = status_;
    if (edit_log_) {
      AddToReport(edit_log_->Finish(/*skeleton_read=*/true,
                                    /*motion_read=*/true),
                  &result_.report);
    }
    stage_.FinishReport(&result_.report);
    if (options_.checks_only) PassFailedOutputs(&result_);
  }
  AddTimes(threads);
  if (!result_.status.ok()) {
    result_.skeleton.reset();
  } else if (options_.with_skeleton && !has_edits()) {
    result_.skeleton = header_->source;
  }
  // No output was made, or none was given to the receiver.
  if (!result_.status.ok() || !GivesOutputs(options_)) result_.outputs.clear();
}

}  // namespace bvhmill
