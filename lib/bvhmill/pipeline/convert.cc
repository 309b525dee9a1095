#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/repair.h"
#include "bvhmill/pipeline/internal/check_clip.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/outputs.h"
#include "bvhmill/pipeline/internal/sources.h"

namespace bvhmill {
namespace {

// The error of edits that failed with `status` on a clip. INVALID_ARGUMENT gets
// the reason EDIT_DOES_NOT_FIT: CheckOptions has refused options that fit no
// clip.
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

// The reader for options.source_format; monostate for a clip in memory.
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

  // The stages of a conversion, in their order: Read for each piece of the
  // clip; then Finish, which calls the others.
  bool Read(std::string_view text, int64_t came);
  void Finish();
  void EndReading();
  void Check();
  absl::Status CheckRules();
  absl::Status EditAndEncode();
  absl::Status MakeClip();
  absl::Status Edit();
  absl::Status KeepSkeleton();
  absl::Status EncodeOutputs();

  // False if the options are refused: the result is then complete.
  bool is_good() const { return log.has_value(); }
  ReadOptions HowToRead();

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
  // Derived from the skeleton that was read. Null until Check.
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

bool Conversion::Impl::Read(std::string_view text, int64_t came) {
  budget.AddInput(came);
  if (!is_good() || !budget.failure().ok()) return false;
  const StageTimer timer(&result.times.read);
  // If that is too much work, Finish puts the failure into the result.
  if (!budget.Work(static_cast<int64_t>(text.size())).ok()) return false;
  if (auto* const bvh = std::get_if<BvhReader>(&reader)) return bvh->Add(text);
  auto* const anim = std::get_if<AnimReader>(&reader);
  return anim != nullptr && anim->Add(text);
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
  // No output was made, or the receiver got none.
  if (!result.status.ok() || !GivesOutputs(options)) result.outputs.clear();
}

absl::Status Conversion::Impl::EditAndEncode() {
  if (options.outputs.empty() && !has_edits) return KeepSkeleton();
  BVHMILL_RETURN_IF_ERROR(MakeClip());
  if (has_edits) BVHMILL_RETURN_IF_ERROR(Edit());
  BVHMILL_RETURN_IF_ERROR(KeepSkeleton());
  return options.outputs.empty() ? absl::OkStatus() : EncodeOutputs();
}

void Conversion::Impl::EndReading() {
  const StageTimer timer(&result.times.read);
  if (auto* const bvh = std::get_if<BvhReader>(&reader)) bvh->Finish();
  if (auto* const anim = std::get_if<AnimReader>(&reader)) anim->Finish();
}

// Ignores the status: a failure is one of the budget, which keeps it.
void Conversion::Impl::Check() {
  const StageTimer timer(&result.times.validate);
  CheckRules().IgnoreError();
  // The outputs of a long clip need the memory.
  if (workspace.check.KeptBytes() > kLargeBytes) workspace.check = {};
}

// Compiles the skeleton, and applies the rules of validate/ to a clip that was
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

// Moves the rows that were read to the clip that is edited and encoded.
absl::Status Conversion::Impl::MakeClip() {
  const Skeleton& skeleton = workspace.read.source->skeleton;
  BVHMILL_RETURN_IF_ERROR(budget.Hold(SkeletonBytes(skeleton)));
  workspace.clip.skeleton = skeleton;
  std::swap(workspace.clip.motion, workspace.read.motion);
  return absl::OkStatus();
}

// Repairs and edits the clip, describes it again, and adds the new issues to
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

Converter::Converter(Parallelism parallelism)
    : state_(std::make_unique<State>()) {
  state_->parallel = MakeParallel(parallelism);
}
Converter::~Converter() = default;
Converter::Converter(Converter&& other) noexcept = default;
Converter& Converter::operator=(Converter&& other) noexcept = default;

ConvertResult Converter::Convert(std::string_view bytes,
                                 const ConvertOptions& options,
                                 OutputReceiver* receiver,
                                 const CancelToken* cancel) {
  ConvertResult result;
  ConvertInto(bytes, options, receiver, cancel, &result);
  return result;
}

void Converter::ConvertInto(std::string_view bytes,
                            const ConvertOptions& options,
                            OutputReceiver* receiver, const CancelToken* cancel,
                            ConvertResult* result) {
  Conversion conversion(this, options, receiver, cancel, result);
  conversion.Add(bytes);
  conversion.Finish();
}

ConvertResult Converter::ConvertClip(const ClipRows& clip,
                                     const ConvertOptions& options,
                                     OutputReceiver* receiver,
                                     const CancelToken* cancel) {
  ConvertResult result;
  result.status = CheckRows(clip);
  if (!result.status.ok()) return result;
  Conversion conversion(this, options, receiver, cancel, &result);
  conversion.AddClip(clip);
  conversion.Finish();
  return result;
}

size_t Converter::KeptBytes() const {
  return state_->workspace == nullptr ? 0 : state_->workspace->KeptBytes();
}

void Converter::FreeMemory() { state_->workspace.reset(); }

ConvertResult Convert(std::string_view bytes, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel) {
  return Converter(Parallelism::None())
      .Convert(bytes, options, receiver, cancel);
}

const absl::Status& FirstFailure(const ConvertResult& result) {
  const auto failed =
      std::find_if(result.outputs.begin(), result.outputs.end(),
                   [](const OutputInfo& o) { return !o.status.ok(); });
  const bool is_whole = !result.status.ok() || failed == result.outputs.end();
  return is_whole ? result.status : failed->status;
}

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // A small file may ask for much.
    constexpr int64_t kMaxReserved = int64_t{16} << 20;
    const int64_t bytes = outputs[i].tensor ? TensorBytes(*outputs[i].tensor)
                                            : outputs[i].size_bytes;
    data_[i].clear();
    data_[i].reserve(
        static_cast<size_t>(std::clamp<int64_t>(bytes, 0, kMaxReserved)));
  }
  return absl::OkStatus();
}

absl::Status StringReceiver::Data(size_t output, std::string_view bytes) {
  data_[output].append(bytes);
  return absl::OkStatus();
}

}  // namespace bvhmill
