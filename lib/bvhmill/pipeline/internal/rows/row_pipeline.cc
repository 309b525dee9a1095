#include "bvhmill/pipeline/internal/rows/row_pipeline.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/internal/costs.h"
#include "bvhmill/pipeline/internal/edit_stage.h"
#include "bvhmill/pipeline/internal/finalize_report.h"
#include "bvhmill/pipeline/internal/outputs/encode_clip.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

// A file may state any number of frames; sizes computed from this many do not
// overflow.
constexpr int64_t kMaxExpectedFrames = int64_t{1} << 31;
// Values of edited rows that are made at once.
constexpr int64_t kEditedValues = int64_t{1} << 17;

}  // namespace

RowPipeline::RowPipeline(const ConvertOptions& options,
                         OutputReceiver* receiver, const CancelToken* cancel,
                         Parallel* parallel, Workspace* workspace,
                         ConvertResult* result)
    : options_(options),
      checks_receiver_(receiver),
      receiver_(options.checks_only ? &checks_receiver_ : receiver),
      cancel_(cancel),
      parallel_(*parallel),
      workspace_(*workspace),
      stage_(workspace->stage),
      solver_(stage_.solver()),
      result_(*result),
      budget_(options.limits, cancel, HolderOf(receiver)),
      step_frames_(std::numeric_limits<int64_t>::max()) {
  Reset(result);
  result->status = CheckOptions(options);
  if (!result->status.ok()) {
    result->info = {};
    result->outputs.clear();
    return;
  }
  log_.emplace(LogOptions(options));
  LogUnknownFields(options, &*log_);
  workspace_.ReleaseSkeleton();
  workspace_.BeginTiles(parallel->threads());
  stage_.SetOutputs(options);
}

ReadOptions RowPipeline::HowToRead() {
  ReadOptions how;
  how.limits = options_.limits;
  how.name_encoding = options_.name_encoding;
  how.cancel = cancel_;
  how.cache = &workspace_.cache;
  how.budget = &budget_;
  return how;
}

bool RowPipeline::has_edits() const { return !IsEmpty(options_.edits); }

bool RowPipeline::keeps_rows() const {
  return edits_at_end() || (has_outputs() && stage_.plan().NeedsFrameCount());
}

bool RowPipeline::TakesTiles() const {
  const bool needs_neighbours =
      has_outputs() && stage_.plan().NeedsNeighbours();
  return !keeps_rows() && !has_edits() && !needs_neighbours;
}

void RowPipeline::Fail(const absl::Status& status) {
  if (status.ok() || !status_.ok()) return;
  status_ = status;
  makes_outputs_ = false;
}

// --- The header.

absl::Status RowPipeline::BeginClip(const ClipHeader& header, int threads) {
  BVHMILL_RETURN_IF_ERROR(DrawSkeleton(header.skeleton(), &budget_));
  RowObservers& observers = workspace_.observers;
  observers.SetMeasures(options_.measures);
  const bool needs_plan =
      (has_outputs() && !has_edits()) || observers.NeedsPositions();
  compiled_ = workspace_.compiler.Compile(header.source, needs_plan,
                                          options_.conventions);
  BVHMILL_RETURN_IF_ERROR(observers.Begin(
      *compiled_, options_, header.frame_time, threads, &budget_));
  observes_ = true;
  return absl::OkStatus();
}

bool RowPipeline::OnHeader(const ClipHeader& header, int threads) {
  header_.emplace(header);
  Fail(BeginClip(header, threads));
  return budget_.failure().ok();
}

bool RowPipeline::BeginOutputs() {
  if (status_.ok() && has_edits() && !edits_at_end()) {
    edit_log_.emplace(LogOptions(options_));
    const absl::Status status =
        editor_.Begin(options_, *header_, &budget_, &*edit_log_);
    if (!status.ok()) Fail(ErrorOfEdit(status));
  }
  if (status_.ok() && has_outputs() && !keeps_rows()) {
    const absl::Status status = BeginStage();
    outputs_failed_ = !status.ok();
    makes_outputs_ = status.ok();
    Fail(status);
  }
  if (status_.ok()) SetSteps();
  return status_.ok();
}

// The outputs of the edited clip, as far as it is known now.
absl::Status RowPipeline::BeginStage() {
  const bool edited = editor_.has_begun();
  int64_t frames = std::min(header_->declared_frames, kMaxExpectedFrames);
  if (edited) frames = editor_.FramesOf(frames);
  if (edited && Exceeds(frames, options_.limits.max_frames)) frames = 0;
  const Skeleton& skeleton = edited ? editor_.skeleton() : header_->skeleton();
  const double frame_time = edited ? editor_.frame_time() : header_->frame_time;
  if (edited) {
    result_.info = DescribeClip(skeleton, frames, frame_time);
  } else {
    DescribeClip(*compiled_, frames, frame_time, &result_.info);
  }
  window_.Begin(static_cast<int64_t>(skeleton.channels.size()));
  EncodeContext context{&skeleton, frames, frame_time};
  context.budget = &budget_;
  return stage_.Begin(context, edited ? nullptr : compiled_.get(), receiver_,
                      &result_);
}

void RowPipeline::SetStepBytes(int64_t bytes) {
  if (std::exchange(step_bytes_, bytes) != bytes) SetSteps();
}

void RowPipeline::SetSteps() {
  if (makes_outputs_) step_frames_ = stage_.StepFrames(step_bytes_);
  if (!editor_.has_begun()) return;
  const int64_t width = std::max<int64_t>(editor_.width(), 1);
  edit_frames_ = std::clamp<int64_t>(kEditedValues / width, 1, step_frames_);
}

// A larger tile takes memory in the reader, in the editor, and twice in the
// window of neighbours.
void RowPipeline::DrawTile(int64_t frames) {
  const int64_t more = frames - drawn_frames_;
  if (more <= 0 || !has_outputs() || !status_.ok()) return;
  drawn_frames_ = frames;
  const int64_t copies = 1 + (editor_.has_begun() ? 1 : 0) +
                         (stage_.plan().NeedsNeighbours() ? 2 : 0);
  const auto width = static_cast<size_t>(header_->width());
  Fail(budget_.Hold(copies * more * HeldRows::BytesOf(width)));
}

void RowPipeline::DrawTiles(int threads, int64_t values) {
  if (!status_.ok()) return;
  const auto floats = static_cast<size_t>(threads * values);
  Fail(budget_.Hold(HeldRows::BytesOf(floats)));
  if (!makes_outputs_) return;
  const int64_t width = header_->width();
  // Frames without values come in tiles of another size.
  const int64_t frames = width == 0 ? solver_.TileFrames() : values / width;
  if (status_.ok()) Fail(solver_.DrawBuffers(threads, frames));
}

// --- The rows.

void RowPipeline::Observe(int64_t frames, std::span<const float> values) {
  if (!observes_ || frames == 0) return;
  workspace_.observers.Add(frames, values, /*is_solved=*/false,
                           &workspace_.tiles[0]);
}

void RowPipeline::Step(int64_t frames, std::span<const float> values,
                       int64_t* used) {
  if (!editor_.has_begun()) {
    *used = std::min(frames, step_frames_);
    const auto width = static_cast<size_t>(header_->width());
    return Feed(*used, values.first(static_cast<size_t>(*used) * width));
  }
  absl::Status status;
  {
    const StageTimer timer(&result_.times.edit);
    status = editor_.Edit(frames, values, edit_frames_, used);
  }
  if (!status.ok()) return Fail(ErrorOfEdit(status));
  Feed(editor_.rows().frames, editor_.rows().values);
}

// Edited rows become outputs, or are kept.
void RowPipeline::Feed(int64_t frames, std::span<const float> values) {
  fed_ += frames;
  if (frames == 0 || (!has_outputs() && !edits_at_end())) return;
  if (keeps_rows()) {
    const absl::Status held = kept_.Append(frames, values, &budget_);
    if (!held.ok()) kept_ = {};
    return Fail(held);
  }
  if (!stage_.plan().NeedsNeighbours()) {
    return SolveAndAdd(TileOf(fed_ - frames, frames, values));
  }
  window_.Add(frames, values);
  SolveAndAdd(window_.Take(/*is_end=*/false));
}

absl::Status RowPipeline::DrawPoses(int64_t frames) {
  if (frames <= drawn_poses_) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(solver_.DrawBuffers(1, frames - drawn_poses_));
  drawn_poses_ = frames;
  return absl::OkStatus();
}

void RowPipeline::SolveAndAdd(const TileRows& rows) {
  if (rows.frames == 0) return;
  Fail(DrawPoses(rows.frames));
  AddToOutputs(rows, &workspace_.tiles[0], /*is_solved=*/false);
}

void RowPipeline::AddToOutputs(const TileRows& rows, TileBuffers* buffers,
                               bool is_solved) {
  if (!makes_outputs_) return;
  if (!is_solved) solver_.Solve(rows, buffers);
  const absl::Status status = stage_.Add(rows, buffers);
  outputs_failed_ = !status.ok();
  Fail(status);
}

// The poses of a large tile are too many to be solved at once.
bool RowPipeline::IsLarge(int64_t frames) const {
  return frames > solver_.MaxFrames();
}

void RowPipeline::SolveTile(int worker, int64_t frames,
                            std::span<const float> values) {
  TileBuffers* buffers = &workspace_.tiles[static_cast<size_t>(worker)];
  if (observes_) workspace_.observers.Solve(frames, values, buffers);
  if (!makes_outputs_ || IsLarge(frames)) return;
  solver_.Solve(TileOf(0, frames, values), buffers);
}

void RowPipeline::AddTile(int worker, int64_t frames,
                          std::span<const float> values) {
  TileBuffers* buffers = &workspace_.tiles[static_cast<size_t>(worker)];
  if (observes_) {
    RowObservers& observers = workspace_.observers;
    observers.Add(frames, values, observers.CanSolve(frames), buffers);
  }
  const int64_t first = std::exchange(fed_, fed_ + frames);
  if (!makes_outputs_) return;
  if (!IsLarge(frames)) {
    return AddToOutputs(TileOf(first, frames, values), buffers,
                        /*is_solved=*/true);
  }
  const int64_t most = solver_.MaxFrames();
  const auto width = static_cast<size_t>(header_->width());
  for (int64_t done = 0; done < frames; done += most) {
    const int64_t count = std::min(most, frames - done);
    const auto part = values.subspan(static_cast<size_t>(done) * width,
                                     static_cast<size_t>(count) * width);
    AddToOutputs(TileOf(first + done, count, part), buffers,
                 /*is_solved=*/false);
  }
}

void RowPipeline::AddEmptyFrames(int64_t frames) {
  while (makes_outputs_ && fed_ < frames) {
    const int64_t count = std::min(solver_.TileFrames(), frames - fed_);
    AddToOutputs(TileOf(fed_, count, {}), &workspace_.tiles[0],
                 /*is_solved=*/false);
    fed_ += count;
  }
}

}  // namespace bvhmill
