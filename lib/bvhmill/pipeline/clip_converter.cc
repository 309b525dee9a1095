#include "bvhmill/pipeline/clip_converter.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/pipeline/arena_parallel.h"
#include "bvhmill/pipeline/checks_receiver.h"
#include "bvhmill/pipeline/costs.h"
#include "bvhmill/pipeline/edit_stage.h"
#include "bvhmill/pipeline/encode_clip.h"
#include "bvhmill/pipeline/finalize_report.h"
#include "bvhmill/pipeline/row_window.h"
#include "bvhmill/pipeline/stopwatch.h"

namespace bvhmill {
namespace {

// However many frames a file says to have, sizes made of them do not overflow.
constexpr int64_t kMaxExpectedFrames = int64_t{1} << 31;
// Values of edited rows that are gathered before they are fed.
constexpr int64_t kEditedValues = int64_t{1} << 17;
// Text that is read before it is looked what there is to do.
constexpr size_t kReadBytes = size_t{256} << 10;

// Consecutive rows, and the bytes of memory that are drawn for them.
struct HeldRows {
  int64_t frames = 0;
  UninitializedVector<float> values;
  int64_t held = 0;
};

int64_t BytesOf(size_t values) {
  return static_cast<int64_t>(values * sizeof(float));
}

}  // namespace

class ClipConverter::Impl final : public ClipReceiver {
 public:
  Impl(const ConvertOptions& options, OutputReceiver* receiver,
       const CancelToken* cancel, ConvertResult* result);

  WorkspaceLease* lease() { return &lease_; }

  void SetStepBytes(int64_t bytes);
  void AddInput(int64_t bytes) { budget_.AddInput(bytes); }
  bool Read(std::string_view piece);
  void End();
  bool CanFlush() const { return is_good_ && reader_->CanFlush(); }
  void Flush();
  bool has_work() const;
  void Work();
  void Finish();

  bool OnHeader(const ClipHeader& header) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

 private:
  bool has_outputs() const { return !options_.outputs.empty(); }
  absl::Status BeginEdits(const ClipHeader& header, int64_t* expected);
  absl::Status BeginOutputs(const ClipHeader& header);
  absl::Status BeginClip(const ClipHeader& header);
  absl::Status DrawTiles(int64_t frames);
  void SetSteps();
  absl::Status Hold(int64_t frames, std::span<const float> values,
                    HeldRows* rows);
  absl::Status Step(int64_t frames, std::span<const float> values,
                    int64_t* used);
  absl::Status StepWaiting(int64_t* used);
  absl::Status PushToEditor(int64_t frames, std::span<const float> values,
                            int64_t* used);
  absl::Status Feed(int64_t frames, std::span<const float> values);
  absl::Status Keep(int64_t frames, std::span<const float> values);
  absl::Status Solve(const TileRows& rows);
  absl::Status EndClip();
  absl::Status EndEdits();
  absl::Status EndOutputs();
  absl::Status EndWhole();
  void FinalizeClip(const StreamResult& read);

  const ConvertOptions& options_;
  ChecksReceiver checks_receiver_;
  OutputReceiver* receiver_;
  const CancelToken* cancel_;
  ConvertResult& result_;
  Budget budget_;
  WorkspaceLease lease_;
  Workspace& workspace_;
  // What options say is good.
  bool is_good_ = false;
  std::optional<IssueLog> log_;
  std::optional<StreamReader> reader_;

  // The skeleton of the file, and of the edited clip; with the reader and the
  // editor.
  std::optional<ClipHeader> header_;
  std::shared_ptr<const CompiledSkeleton> compiled_;
  std::optional<ClipEditor> editor_;
  EditedRows edited_;
  // Rows that the editor took.
  int64_t edited_from_ = 0;
  // Bytes that a step makes, about; frames that it makes, and edits, at most.
  int64_t step_bytes_ = int64_t{4} << 20;
  int64_t step_frames_ = std::numeric_limits<int64_t>::max();
  int64_t edit_frames_ = 0;
  // The outputs take rows as they come.
  bool makes_steps_ = false;
  // Rows that wait for the next steps, and how many of them are done with.
  HeldRows waiting_;
  int64_t waiting_at_ = 0;
  // What was read last has had its step.
  bool has_stepped_ = false;
  bool has_ended_ = false;
  // Frames of the largest tile, and of the most poses at once, that memory was
  // drawn for.
  int64_t drawn_frames_ = 0;
  int64_t drawn_poses_ = 0;
  // All rows are kept until the end.
  bool keeps_rows_ = false;
  HeldRows kept_;
  RowWindow window_;
  // Frames that were fed to the outputs.
  int64_t fed_ = 0;
  // Of edits and outputs; the clip is only read, for its report, if it is bad.
  absl::Status status_;
  // `status_` is bad, and is that of outputs.
  bool outputs_failed_ = false;
  // Frames of the clip as it came; known from End on.
  int64_t read_frames_ = 0;
};

ClipConverter::Impl::Impl(const ConvertOptions& options,
                          OutputReceiver* receiver, const CancelToken* cancel,
                          ConvertResult* result)
    : options_(options),
      checks_receiver_(receiver),
      receiver_(options.checks_only ? &checks_receiver_ : receiver),
      cancel_(cancel),
      result_(*result),
      budget_(options.limits, cancel, HolderOf(receiver)),
      workspace_(*lease_) {
  Reset(result);
  result->status = CheckOptions(options);
  if (!result->status.ok()) {
    result->fault = FaultOfOptions(result->status);
    return;
  }
  is_good_ = true;
  log_.emplace(LogOptions(options));
  LogUnknownFields(options, &*log_);
  workspace_.ReleaseSkeleton();
  workspace_.stage.SetOutputs(options);
  workspace_.BeginTiles(1);
  keeps_rows_ = has_outputs() && workspace_.stage.NeedsFrameCount();
  ReadOptions how;
  how.limits = options.limits;
  how.cancel = cancel;
  how.cache = &workspace_.cache;
  how.budget = &budget_;
  reader_.emplace(how, &*log_, this);
}

bool ClipConverter::Impl::Read(std::string_view piece) {
  const StageTimer timer(&result_.times.read);
  has_stepped_ = false;
  if (!is_good_ || !budget_.failure().ok()) return false;
  // If that is too much, the end says so.
  if (!budget_.Work(static_cast<int64_t>(piece.size())).ok()) return false;
  return reader_->Push(piece);
}

void ClipConverter::Impl::Flush() {
  const StageTimer timer(&result_.times.read);
  has_stepped_ = false;
  if (is_good_) reader_->Flush();
}

absl::Status ClipConverter::Impl::BeginEdits(const ClipHeader& header,
                                             int64_t* expected) {
  if (IsEmpty(options_.edits)) return absl::OkStatus();
  auto editor = ClipEditor::Make(options_.edits, options_.conventions,
                                 header.skeleton(), header.frame_time,
                                 std::nullopt, options_.limits, &budget_);
  if (!editor.ok()) return editor.status();
  editor_.emplace(*std::move(editor));
  *expected = editor_->FramesOf(*expected);
  if (Exceeds(*expected, options_.limits.max_frames)) *expected = 0;
  return DrawDescription(editor_->skeleton(), &budget_);
}

absl::Status ClipConverter::Impl::BeginOutputs(const ClipHeader& header) {
  int64_t expected = std::min(header.declared_frames, kMaxExpectedFrames);
  absl::Status status = BeginEdits(header, &expected);
  if (!status.ok()) result_.fault = FaultOfEdit(status);
  if (!status.ok() || !has_outputs() || keeps_rows_) return status;
  const Skeleton& skeleton = editor_ ? editor_->skeleton() : header.skeleton();
  const double frame_time = editor_ ? editor_->frame_time() : header.frame_time;
  EncodeContext context{&skeleton, expected, frame_time};
  if (editor_) {
    result_.info = DescribeClip(skeleton, expected, frame_time);
  } else {
    DescribeClip(*compiled_, expected, frame_time, &result_.info);
  }
  window_.Begin(static_cast<int64_t>(skeleton.channels.size()));
  context.budget = &budget_;
  status = workspace_.stage.Begin(context, editor_ ? nullptr : compiled_.get(),
                                  receiver_, &result_);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  outputs_failed_ = !status.ok();
  BVHMILL_RETURN_IF_ERROR(status);
  makes_steps_ = true;
  return absl::OkStatus();
}

void ClipConverter::Impl::SetStepBytes(int64_t bytes) {
  if (std::exchange(step_bytes_, bytes) != bytes) SetSteps();
}

// Once the outputs have begun.
void ClipConverter::Impl::SetSteps() {
  if (makes_steps_) step_frames_ = workspace_.stage.StepFrames(step_bytes_);
  if (!editor_) return;
  const auto width = static_cast<int64_t>(editor_->skeleton().channels.size());
  edit_frames_ = std::clamp<int64_t>(
      kEditedValues / std::max<int64_t>(width, 1), 1, step_frames_);
}

// Tiles of `frames` frames take more memory than those before: the rows of a
// tile in the reader, in the editor, and twice in a window where neighbours are
// needed.
absl::Status ClipConverter::Impl::DrawTiles(int64_t frames) {
  const int64_t more = frames - drawn_frames_;
  if (more <= 0 || !has_outputs()) return absl::OkStatus();
  drawn_frames_ = frames;
  const int64_t copies =
      1 + (editor_ ? 1 : 0) + (workspace_.stage.NeedsNeighbours() ? 2 : 0);
  const size_t width = header_->skeleton().channels.size();
  return budget_.Hold(copies * more * BytesOf(width));
}

absl::Status ClipConverter::Impl::BeginClip(const ClipHeader& header) {
  BVHMILL_RETURN_IF_ERROR(DrawSkeleton(header.skeleton(), &budget_));
  compiled_ = workspace_.compiler.Compile(header.source, has_outputs(),
                                          options_.conventions);
  return BeginOutputs(header);
}

bool ClipConverter::Impl::OnHeader(const ClipHeader& header) {
  header_.emplace(header);
  workspace_.samples.Begin(header.width());
  status_ = BeginClip(header);
  if (status_.ok()) SetSteps();
  return true;
}

// One step is done at once, where the rows are; for others the rows wait.
bool ClipConverter::Impl::OnFrames(int64_t /*first_frame*/, int64_t frames,
                                   std::span<const float> values) {
  workspace_.samples.Add(frames, values);
  if (status_.ok()) status_ = DrawTiles(frames);
  if (!status_.ok()) return budget_.failure().ok();
  int64_t used = 0;
  if (!has_stepped_ && !has_work()) {
    has_stepped_ = true;
    status_ = Step(frames, values, &used);
  }
  const size_t width = header_->skeleton().channels.size();
  if (status_.ok() && used < frames) {
    status_ =
        Hold(frames - used, values.subspan(static_cast<size_t>(used) * width),
             &waiting_);
  }
  return true;
}

// Adds rows; their memory is drawn before. Both the old and the new memory are
// there while it grows.
absl::Status ClipConverter::Impl::Hold(int64_t frames,
                                       std::span<const float> values,
                                       HeldRows* rows) {
  const size_t size = rows->values.size() + values.size();
  if (BytesOf(size) > rows->held) {
    BVHMILL_RETURN_IF_ERROR(budget_.Hold(BytesOf(size) - rows->held));
    rows->held = BytesOf(size);
  }
  if (size > rows->values.capacity()) {
    const int64_t copied = BytesOf(rows->values.size());
    BVHMILL_RETURN_IF_ERROR(budget_.Hold(copied));
    rows->values.reserve(std::max(size, 2 * rows->values.capacity()));
    budget_.Return(copied);
  }
  rows->values.insert(rows->values.end(), values.begin(), values.end());
  rows->frames += frames;
  return absl::OkStatus();
}

bool ClipConverter::Impl::has_work() const {
  return status_.ok() &&
         (waiting_.frames > 0 || (editor_.has_value() && editor_->has_more()));
}

void ClipConverter::Impl::Work() {
  const StageTimer timer(&result_.times.read);
  int64_t used = 0;
  status_ = StepWaiting(&used);
  waiting_at_ += used;
  if (status_.ok() && waiting_at_ < waiting_.frames) return;
  waiting_.frames = waiting_at_ = 0;
  waiting_.values.clear();
}

absl::Status ClipConverter::Impl::StepWaiting(int64_t* used) {
  BVHMILL_RETURN_IF_ERROR(budget_.Work(0));
  const size_t width = header_->skeleton().channels.size();
  const auto done = static_cast<size_t>(waiting_at_) * width;
  return Step(waiting_.frames - waiting_at_,
              std::span<const float>(waiting_.values).subspan(done), used);
}

// Makes outputs of the first rows, `*used` of them, and of what the editor has
// more of the row before.
absl::Status ClipConverter::Impl::Step(int64_t frames,
                                       std::span<const float> values,
                                       int64_t* used) {
  if (!editor_) {
    *used = std::min(frames, step_frames_);
    const size_t width = header_->skeleton().channels.size();
    return Feed(*used, values.first(static_cast<size_t>(*used) * width));
  }
  const absl::Status status = PushToEditor(frames, values, used);
  if (!status.ok()) result_.fault = FaultOfEdit(status);
  BVHMILL_RETURN_IF_ERROR(status);
  const absl::Status fed = Feed(edited_.frames, edited_.values);
  edited_.frames = 0;
  edited_.values.clear();
  return fed;
}

absl::Status ClipConverter::Impl::PushToEditor(int64_t frames,
                                               std::span<const float> values,
                                               int64_t* used) {
  const StageTimer timer(&result_.times.edit);
  BVHMILL_RETURN_IF_ERROR(
      editor_->PushSome(frames, values, edit_frames_, &edited_, used));
  edited_from_ += *used;
  // Before anything is made of a row that completes too many.
  return CheckGrowth(
      {edited_from_, static_cast<int64_t>(header_->skeleton().channels.size())},
      {editor_->FramesOfTaken(),
       static_cast<int64_t>(editor_->skeleton().channels.size())},
      options_.limits);
}

absl::Status ClipConverter::Impl::Feed(int64_t frames,
                                       std::span<const float> values) {
  fed_ += frames;
  if (!has_outputs() || frames == 0) return absl::OkStatus();
  if (keeps_rows_) return Keep(frames, values);
  TileRows rows;
  rows.first_frame = fed_ - frames;
  rows.frames = frames;
  rows.values = values;
  if (workspace_.stage.NeedsNeighbours()) {
    window_.Add(frames, values);
    rows = window_.Take(/*is_end=*/false);
  }
  return Solve(rows);
}

absl::Status ClipConverter::Impl::Keep(int64_t frames,
                                       std::span<const float> values) {
  const absl::Status held = Hold(frames, values, &kept_);
  if (!held.ok()) kept_ = {};
  return held;
}

absl::Status ClipConverter::Impl::Solve(const TileRows& rows) {
  if (rows.frames == 0) return absl::OkStatus();
  if (rows.frames > drawn_poses_) {
    BVHMILL_RETURN_IF_ERROR(
        workspace_.stage.DrawBuffers(1, rows.frames - drawn_poses_));
    drawn_poses_ = rows.frames;
  }
  workspace_.stage.Solve(rows, &workspace_.tiles[0]);
  const absl::Status status = workspace_.stage.Add(rows, &workspace_.tiles[0]);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  outputs_failed_ = !status.ok();
  return status;
}

// The rows were kept: they are a clip.
absl::Status ClipConverter::Impl::EndWhole() {
  Clip clip;
  clip.skeleton = editor_ ? editor_->skeleton() : header_->skeleton();
  clip.motion.frames = fed_;
  clip.motion.frame_time =
      editor_ ? editor_->frame_time() : header_->frame_time;
  clip.motion.values.swap(kept_.values);
  result_.info = DescribeClip(clip.skeleton, fed_, clip.motion.frame_time);
  ArenaParallel parallel;
  workspace_.BeginTiles(parallel.threads());
  const absl::Status status =
      EncodeClip(clip, editor_ ? nullptr : compiled_.get(), &parallel,
                 receiver_, &budget_, &workspace_, &result_);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

// Outputs have failed, so that rows after that were not edited. Says whether
// the edits fit the whole clip, and describes the edited one, as Convert does
// before it makes outputs.
absl::Status ClipConverter::Impl::EndEdits() {
  const auto columns = [](const Skeleton& skeleton) {
    return static_cast<int64_t>(skeleton.channels.size());
  };
  const int64_t frames = editor_->FramesOf(read_frames_);
  absl::Status status = editor_->CheckRange(read_frames_);
  if (status.ok()) {
    status =
        CheckGrowth({read_frames_, columns(header_->skeleton())},
                    {frames, columns(editor_->skeleton())}, options_.limits);
  }
  if (!status.ok()) {
    result_.fault = FaultOfEdit(status);
    return status;
  }
  result_.info =
      DescribeClip(editor_->skeleton(), frames, editor_->frame_time());
  return absl::OkStatus();
}

// All rows are fed.
absl::Status ClipConverter::Impl::EndClip() {
  if (outputs_failed_ && editor_) BVHMILL_RETURN_IF_ERROR(EndEdits());
  BVHMILL_RETURN_IF_ERROR(status_);
  if (editor_) {
    const absl::Status status = editor_->Finish();
    if (!status.ok()) result_.fault = FaultOfEdit(status);
    BVHMILL_RETURN_IF_ERROR(status);
    result_.info =
        DescribeClip(editor_->skeleton(), fed_, editor_->frame_time());
  }
  return EndOutputs();
}

absl::Status ClipConverter::Impl::EndOutputs() {
  if (!has_outputs()) return absl::OkStatus();
  if (keeps_rows_) return EndWhole();
  if (workspace_.stage.NeedsNeighbours()) {
    BVHMILL_RETURN_IF_ERROR(Solve(window_.Take(/*is_end=*/true)));
  }
  const absl::Status status = workspace_.stage.End(fed_, &workspace_.tiles[0]);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

void ClipConverter::Impl::FinalizeClip(const StreamResult& read) {
  read_frames_ = read.frames;
  if (const absl::Status refused = budget_.failure(); !refused.ok()) {
    return RefuseUnread(refused, &result_);
  }
  const Fault fault = std::exchange(result_.fault, {});
  const ClipRead facts = {read.skeleton_read, read.motion_read, compiled_.get(),
                          read.frames, header_ ? header_->frame_time : 0};
  FinalizeReport(options_, facts, workspace_.samples, cancel_, &*log_,
                 &result_);
  if (result_.status.ok()) result_.fault = fault;
}

void ClipConverter::Impl::End() {
  has_ended_ = true;
  if (!is_good_) return;
  StreamResult read;
  {
    const StageTimer timer(&result_.times.read);
    has_stepped_ = false;
    read = reader_->Finish();
  }
  FinalizeClip(read);
  // Nothing more is made of a clip that is refused.
  if (!result_.status.ok()) {
    status_ = result_.status;
  } else if (header_->skeleton().channels.empty()) {
    // Frames without values do not come by themselves.
    waiting_.frames = read.frames;
  }
}

void ClipConverter::Impl::Finish() {
  if (!is_good_) {
    result_.info = {};
    result_.outputs.clear();
    return;
  }
  if (!has_ended_) End();
  while (has_work()) Work();
  if (result_.status.ok()) {
    result_.status = EndClip();
    workspace_.stage.FinishReport(&result_.report);
    if (options_.checks_only) PassFailedOutputs(&result_);
  }
  NameLimit(budget_, &result_);
  StageTimes& times = result_.times;
  for (const TileBuffers& buffers : workspace_.tiles) {
    times.solve += buffers.solve;
    times.encode += buffers.encode;
  }
  const auto within = times.solve + times.encode + times.edit;
  if (!keeps_rows_) {
    times.read = std::max(times.read - within, std::chrono::nanoseconds{0});
  }
  if (!result_.status.ok() || !GivesOutputs(options_)) result_.outputs.clear();
}

bool NeedsAllRows(const ConvertOptions& options) {
  return std::any_of(options.outputs.begin(), options.outputs.end(),
                     [](const OutputRequest& request) {
                       return MakeEncoder(request)->Needs().frame_count;
                     });
}

ClipConverter::ClipConverter(const ConvertOptions& options,
                             OutputReceiver* receiver,
                             const CancelToken* cancel, ConvertResult* result)
    : impl_(std::make_unique<Impl>(options, receiver, cancel, result)) {}
ClipConverter::~ClipConverter() = default;

bool ClipConverter::Push(std::string_view piece) {
  bool is_wanted = true;
  do {
    const std::string_view part = piece.substr(0, kReadBytes);
    AddInput(static_cast<int64_t>(part.size()));
    is_wanted = Read(part);
    while (has_work()) Work();
    piece.remove_prefix(std::min(piece.size(), kReadBytes));
  } while (!piece.empty());
  return is_wanted;
}

void ClipConverter::SetStepBytes(int64_t bytes) { impl_->SetStepBytes(bytes); }

void ClipConverter::AddInput(int64_t bytes) { impl_->AddInput(bytes); }

bool ClipConverter::Read(std::string_view piece) {
  const WorkspaceLease::Use use(impl_->lease());
  return impl_->Read(piece);
}

void ClipConverter::End() {
  const WorkspaceLease::Use use(impl_->lease());
  impl_->End();
}

bool ClipConverter::has_work() const { return impl_->has_work(); }

void ClipConverter::Work() {
  const WorkspaceLease::Use use(impl_->lease());
  impl_->Work();
}

bool ClipConverter::CanFlush() const { return impl_->CanFlush(); }

void ClipConverter::Flush() {
  const WorkspaceLease::Use use(impl_->lease());
  impl_->Flush();
}

void ClipConverter::Finish() {
  const WorkspaceLease::Use use(impl_->lease());
  impl_->Finish();
}

}  // namespace bvhmill
