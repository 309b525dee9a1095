#include "bvhmill/pipeline/internal/outputs/output_stage.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/pipeline/internal/finalize_report.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

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

void OutputStage::SetOutputs(const ConvertOptions& options) {
  options_ = &options;
  // The previous clip may have failed before FinishReport.
  log_.reset();
  encoder_report_.reset();
  plan_.SetOutputs(options.outputs);
}

void OutputStage::BeginLog(const EncodeContext& context) {
  context_ = context;
  context_.conventions = options_->conventions;
  context_.meters_per_unit = UnitOf(options_->edits);
  context_.up_axis = UpOf(options_->edits);
  log_.reset();
  encoder_report_.reset();
  if (!plan_.NeedsLog()) return;
  log_.emplace(LogOptions(*options_));
  context_.log = &*log_;
  for (size_t i = 0; i < plan_.size(); ++i) plan_.encoder(i).Check(context_);
}

// The error of a refusal is that of the first error in the log, if there is
// one.
absl::Status OutputStage::Refuse(const absl::Status& status) {
  if (!log_ || !absl::IsFailedPrecondition(status)) return status;
  encoder_report_ = log_->Finish(/*skeleton_read=*/true, /*motion_read=*/true);
  log_.reset();
  const Issue* error = FirstError(*encoder_report_);
  if (error != nullptr) return ErrorOf(status.code(), *error);
  return MakeCallError({.code = status.code(),
                        .reason = "OUTPUT_IMPOSSIBLE",
                        .message = std::string(MessageOf(status))});
}

void OutputStage::FinishReport(Report* report) {
  if (log_) {
    encoder_report_ =
        log_->Finish(/*skeleton_read=*/true, /*motion_read=*/true);
  }
  log_.reset();
  if (!encoder_report_) return;
  AddToReport(*std::move(encoder_report_), report);
  encoder_report_.reset();
}

void OutputStage::DropReport() {
  log_.reset();
  encoder_report_.reset();
}

absl::Status OutputStage::CheckClip(const EncodeContext& context) {
  if (log_ && log_->errors() > 0) {
    return Refuse(MakeStatus(absl::StatusCode::kFailedPrecondition, ""));
  }
  if (!plan_.NeedsNeighbours() || HasRate(context.frame_time)) {
    return absl::OkStatus();
  }
  if (!log_) log_.emplace(LogOptions(*options_));
  log_->Add(IssueCode::TARGET_FRAME_TIME, {});
  CallError error = CallErrorOf(Refuse(MakeStatus(
      absl::StatusCode::kFailedPrecondition, "velocities need a frame time")));
  error.reason = kFrameRateUnknown;
  error.args.clear();
  return MakeCallError(std::move(error));
}

// Frames that would be too much work are refused before memory is taken.
absl::Status OutputStage::CheckWork() const {
  int64_t units = 0;
  const bool overflows =
      __builtin_mul_overflow(context_.frames, frame_work_, &units);
  if (context_.budget == nullptr) return absl::OkStatus();
  return context_.budget->CheckWork(
      overflows ? std::numeric_limits<int64_t>::max() : units);
}

// If the number of frames is known, so are the sizes, at least in part.
absl::Status OutputStage::CheckSizes() {
  if (!plan_.NeedsFrameCount()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(CheckWork());
  OutputBudget foreseen{options_->limits.max_output_bytes};
  return foreseen.Take(plan_.ForeseenBytes(result_->outputs, context_.frames,
                                           *context_.skeleton));
}

// Adds the reason if the format of an output cannot hold the clip.
absl::Status OutputStage::OnEncoderStatus(const absl::Status& status) {
  return status.ok() ? status : Refuse(status);
}

void OutputStage::DescribeOutputs(OutputReceiver* receiver) {
  sinks_.clear();
  result_->outputs.resize(plan_.size());
  for (size_t i = 0; i < plan_.size(); ++i) {
    OutputInfo& output = result_->outputs[i];
    plan_.encoder(i).Describe(context_, &output);
    output.id = OutputId(plan_.request(i));
    output.media_type = FormatOf(plan_.request(i).format).media_type;
    if (!plan_.NeedsFrameCount()) output.size_bytes = -1;
    sinks_.emplace_back(receiver, i, &budget_, context_.budget);
  }
}

absl::Status OutputStage::Begin(const EncodeContext& context,
                                const CompiledSkeleton* compiled,
                                OutputReceiver* receiver,
                                ConvertResult* result) {
  BeginLog(context);
  result_ = result;
  BVHMILL_RETURN_IF_ERROR(CheckClip(context));
  solver_.Begin(plan_, context_, compiled, options_->conventions);
  budget_ = {options_->limits.max_output_bytes};
  DescribeOutputs(receiver);
  frame_work_ = plan_.FrameWork(result->outputs, solver_.plan());
  BVHMILL_RETURN_IF_ERROR(CheckSizes());
  BVHMILL_RETURN_IF_ERROR(solver_.ReserveFullArrays());
  BVHMILL_RETURN_IF_ERROR(receiver->Begin(result->info, result->outputs));
  for (size_t i = 0; i < plan_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(
        OnEncoderStatus(plan_.encoder(i).Begin(context_, &sinks_[i])));
  }
  return absl::OkStatus();
}

int64_t OutputStage::StepFrames(int64_t bytes) const {
  const int64_t frame = plan_.FrameBytes(result_->outputs, solver_.plan());
  return std::clamp<int64_t>(bytes / std::max<int64_t>(frame, 1), 1,
                             solver_.MaxFrames());
}

// The arrays of an encoder, if it takes them whole, or not, as asked.
PoseSpans OutputStage::SpansOf(size_t encoder, bool whole,
                               TileBuffers* buffers) {
  spans_.clear();
  if (plan_.encoder(encoder).Needs().full_arrays != whole) return spans_;
  for (const size_t array : plan_.ArraysOf(encoder)) {
    spans_.emplace_back(solver_.Array(array, *buffers));
  }
  return spans_;
}

absl::Status OutputStage::Add(const TileRows& rows, TileBuffers* buffers) {
  const StageTimer timer(&buffers->encode);
  BVHMILL_RETURN_IF_ERROR(WorkFrom(context_.budget, rows.frames * frame_work_));
  const PoseTile tile = {rows.first_frame, rows.frames, rows.values};
  for (size_t i = 0; i < plan_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(OnEncoderStatus(plan_.encoder(i).Add(
        tile, SpansOf(i, /*whole=*/false, buffers), &sinks_[i])));
  }
  return absl::OkStatus();
}

absl::Status OutputStage::End(int64_t frames, TileBuffers* buffers) {
  const StageTimer timer(&buffers->encode);
  context_.frames = frames;
  for (size_t i = 0; i < plan_.size(); ++i) {
    Encoder& encoder = plan_.encoder(i);
    BVHMILL_RETURN_IF_ERROR(OnEncoderStatus(
        encoder.End(SpansOf(i, /*whole=*/true, buffers), &sinks_[i])));
    encoder.Describe(context_, &result_->outputs[i]);
    result_->outputs[i].size_bytes = sinks_[i].written();
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
