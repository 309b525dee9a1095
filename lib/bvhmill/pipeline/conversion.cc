#include "bvhmill/pipeline/conversion.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/repair/repair_clip.h"
#include "bvhmill/pipeline/internal/anim_source.h"
#include "bvhmill/pipeline/internal/check_clip.h"
#include "bvhmill/pipeline/internal/clip_in_memory.h"
#include "bvhmill/pipeline/internal/converter_state.h"
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
  return edits.to_units > 0 ? edits.to_units : edits.source.meters_per_unit;
}

// The up axis of the edited clip, if it is stated.
UpAxis UpOf(const ClipEdits& edits) {
  return edits.to_up != UpAxis::kUnknown ? edits.to_up : edits.source.up_axis;
}

// Reads a clip in the format that the options state.
using Reader = std::variant<std::monostate, BvhReader, AnimReader>;

void StartReader(const ReadOptions& how, SourceFormat format, IssueLog* log,
                 ParsedClip* clip, Reader* reader) {
  switch (format) {
    case SourceFormat::kBvh:
      reader->emplace<BvhReader>(how, log, clip);
      break;
    case SourceFormat::kAnim:
      reader->emplace<AnimReader>(how, log, clip);
      break;
  }
}

}  // namespace

struct Conversion::Impl {
  Impl(Converter::State* converter, const ConvertOptions& how,
       OutputReceiver* to, const CancelToken* token, ConvertResult* out);

  // False if the options are refused: the result is then complete.
  bool is_good() const { return log.has_value(); }
  ReadOptions HowToRead();
  bool Read(std::string_view text, int64_t came);
  void EndReading();
  void Finish();
  absl::Status CheckRules();
  void Check();
  absl::Status EditAndEncode();
  absl::Status MakeClip();
  absl::Status Edit();
  absl::Status EncodeOutputs();
  absl::Status KeepSkeleton();

  Converter::State& state;
  Workspace& workspace;
  Parallel& parallel;
  const ConvertOptions& options;
  OutputReceiver* const receiver;
  const CancelToken* const cancel;
  ConvertResult& result;
  const bool has_edits;
  Budget budget;
  std::optional<IssueLog> log;
  Reader reader;
  bool has_ended = false;
  // The derived data of the skeleton that was read. Null until Check.
  std::shared_ptr<const CompiledSkeleton> compiled;
};

Conversion::Impl::Impl(Converter::State* converter, const ConvertOptions& how,
                       OutputReceiver* to, const CancelToken* token,
                       ConvertResult* out)
    : state(*converter),
      workspace(*converter->Begin()),
      parallel(*converter->parallel),
      options(how),
      receiver(to),
      cancel(token),
      result(*out),
      has_edits(!IsEmpty(how.edits)),
      budget(how.limits, token, HolderOf(to)) {
  Reset(&result);
  result.status = CheckOptions(options);
  if (!result.status.ok()) {
    result.info = {};
    result.outputs.clear();
    return;
  }
  log.emplace(LogOptions(options));
  LogUnknownFields(options, &*log);
  workspace.ReleaseClip();
  workspace.poses.ClearTimes();
  StartReader(HowToRead(), options.source_format, &*log, &workspace.read,
              &reader);
}

ReadOptions Conversion::Impl::HowToRead() {
  ReadOptions how;
  how.limits = options.limits;
  how.name_encoding = options.name_encoding;
  how.cancel = cancel;
  how.cache = &workspace.cache;
  how.budget = &budget;
  how.parallel = parallel.threads() > 1 ? &parallel : nullptr;
  return how;
}

bool Conversion::Impl::Read(std::string_view text, int64_t came) {
  budget.AddInput(came);
  if (!is_good() || !budget.failure().ok()) return false;
  const StageTimer timer(&result.times.read);
  // The result says so if that is too much work.
  if (!budget.Work(static_cast<int64_t>(text.size())).ok()) return false;
  if (auto* const bvh = std::get_if<BvhReader>(&reader)) return bvh->Add(text);
  auto* const anim = std::get_if<AnimReader>(&reader);
  return anim != nullptr && anim->Add(text);
}

// Derives the data of the skeleton, and applies the rules to a clip that was
// read to its end.
absl::Status Conversion::Impl::CheckRules() {
  const ParsedClip& read = workspace.read;
  BVHMILL_RETURN_IF_ERROR(DrawSkeleton(read.source->skeleton, &budget));
  const bool needs_plan =
      (!options.outputs.empty() && !has_edits) || options.measures;
  compiled =
      workspace.compiler.Compile(read.source, needs_plan, options.conventions);
  if (!read.motion_read) return absl::OkStatus();
  return CheckClip(*compiled, options, read.motion, &parallel, &budget,
                   &workspace.check, &*log, &result.measures);
}

// A failure is one of the budget, which keeps it.
void Conversion::Impl::Check() {
  const StageTimer timer(&result.times.validate);
  CheckRules().IgnoreError();
  // The outputs of a long clip need the memory.
  if (workspace.check.KeptBytes() > kLargeBytes) workspace.check = {};
}

void Conversion::Impl::EndReading() {
  const StageTimer timer(&result.times.read);
  if (auto* const bvh = std::get_if<BvhReader>(&reader)) bvh->Finish();
  if (auto* const anim = std::get_if<AnimReader>(&reader)) anim->Finish();
}

void Conversion::Impl::Finish() {
  const ParsedClip& read = workspace.read;
  EndReading();
  if (read.skeleton_read && budget.failure().ok()) Check();
  if (const absl::Status refused = budget.failure(); !refused.ok()) {
    RefuseUnread(refused, &result);
    return result.outputs.clear();
  }
  // A clip that is cancelled may have a skeleton that was not compiled.
  const bool has_skeleton = read.skeleton_read && compiled != nullptr;
  FinalizeReport({has_skeleton, read.motion_read, compiled.get(),
                  read.motion.frames, read.motion.frame_time},
                 options.report, cancel, &*log, &result);
  if (result.status.ok()) result.status = EditAndEncode();
  for (const PoseBuffers& buffers : workspace.poses.threads) {
    result.times.solve += buffers.solve;
    result.times.encode += buffers.write;
  }
  if (!result.status.ok()) result.skeleton.reset();
  // No output was made, or none was given to the receiver.
  if (!result.status.ok() || !GivesOutputs(options)) result.outputs.clear();
}

absl::Status Conversion::Impl::EditAndEncode() {
  if (options.outputs.empty() && !has_edits) return KeepSkeleton();
  BVHMILL_RETURN_IF_ERROR(MakeClip());
  if (has_edits) BVHMILL_RETURN_IF_ERROR(Edit());
  BVHMILL_RETURN_IF_ERROR(KeepSkeleton());
  return options.outputs.empty() ? absl::OkStatus() : EncodeOutputs();
}

// The clip that is edited and encoded, with the rows that were read.
absl::Status Conversion::Impl::MakeClip() {
  const Skeleton& skeleton = workspace.read.source->skeleton;
  BVHMILL_RETURN_IF_ERROR(budget.Hold(SkeletonBytes(skeleton)));
  workspace.clip.skeleton = skeleton;
  std::swap(workspace.clip.motion, workspace.read.motion);
  return absl::OkStatus();
}

// Repairs and edits the clip, describes it anew, and adds the issues of both to
// the report.
absl::Status Conversion::Impl::Edit() {
  const StageTimer timer(&result.times.edit);
  Clip& clip = workspace.clip;
  IssueLog found(LogOptions(options));
  absl::Status status =
      RepairClip(options.edits.repairs, Thresholds(options.report.thresholds),
                 &budget, &clip, &found);
  if (status.ok()) {
    ClipEdits others = options.edits;
    others.repairs = {};
    if (!IsEmpty(others)) {
      status = EditClip(others, options.conventions, options.limits, &budget,
                        &clip, &found, &workspace.spare_values);
    }
    if (status.ok()) status = DrawDescription(clip.skeleton, &budget);
    status = ErrorOfEdit(status);
  }
  AddToReport(found.Finish(/*skeleton_read=*/true, /*motion_read=*/true),
              &result.report);
  BVHMILL_RETURN_IF_ERROR(status);
  result.info =
      DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time);
  return absl::OkStatus();
}

absl::Status Conversion::Impl::KeepSkeleton() {
  if (!options.with_skeleton) return absl::OkStatus();
  result.skeleton = workspace.read.source;
  if (!has_edits) return absl::OkStatus();
  const Skeleton& skeleton = workspace.clip.skeleton;
  BVHMILL_RETURN_IF_ERROR(budget.Hold(SkeletonBytes(skeleton)));
  result.skeleton =
      std::make_shared<SourceSkeleton>(SourceSkeleton{skeleton, {}});
  return absl::OkStatus();
}

absl::Status Conversion::Impl::EncodeOutputs() {
  EncodeContext context;
  context.clip = &workspace.clip;
  context.plan = &compiled->plan;
  if (has_edits) {
    MakePlanInto(context.clip->skeleton, options.conventions,
                 &workspace.edited_plan);
    context.plan = &workspace.edited_plan;
  }
  context.conventions = options.conventions;
  context.meters_per_unit = UnitOf(options.edits);
  context.up_axis = UpOf(options.edits);
  context.budget = &budget;
  context.parallel = &parallel;
  context.poses = &workspace.poses;
  return MakeOutputs(options, context, receiver, &result);
}

Conversion::Conversion(Converter* converter, const ConvertOptions& options,
                       OutputReceiver* receiver, const CancelToken* cancel,
                       ConvertResult* result) {
  const WorkspaceUse use(converter->state());
  impl_ = std::make_unique<Impl>(converter->state(), options, receiver, cancel,
                                 result);
}

Conversion::~Conversion() = default;

bool Conversion::Add(std::string_view bytes) {
  return Add(bytes, static_cast<int64_t>(bytes.size()));
}

bool Conversion::Add(std::string_view text, int64_t came) {
  const WorkspaceUse use(&impl_->state);
  return impl_->Read(text, came);
}

void Conversion::AddClip(const ClipRows& clip) {
  if (!impl_->is_good()) return;
  const WorkspaceUse use(&impl_->state);
  impl_->budget.AddInput(static_cast<int64_t>(clip.values.size_bytes()));
  impl_->reader.emplace<std::monostate>();
  CopyClip(clip, impl_->HowToRead(), &*impl_->log, &impl_->workspace.read);
}

void Conversion::Finish() {
  impl_->has_ended = true;
  if (!impl_->is_good()) return;
  const WorkspaceUse use(&impl_->state);
  impl_->Finish();
}

ReadSoFar Conversion::so_far() const {
  ReadSoFar part;
  if (!impl_->is_good() || impl_->has_ended) return part;
  const ParsedClip& read = impl_->workspace.read;
  part.declared_frames = read.declared_frames;
  part.clip.skeleton = read.source;
  part.clip.frame_time = read.motion.frame_time;
  part.clip.frames = read.motion.frames;
  if (read.source != nullptr) {
    const size_t width = read.source->skeleton.channels.size();
    part.clip.values =
        std::span(read.motion.values)
            .first(static_cast<size_t>(part.clip.frames) * width);
  }
  return part;
}

std::vector<Issue> Conversion::TakeNewIssues() {
  // The report has the issues of a clip that has ended.
  if (!impl_->is_good() || impl_->has_ended) return {};
  return impl_->log->TakeNew();
}

}  // namespace bvhmill
