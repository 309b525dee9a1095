#include "bvhmill/pipeline/clip_converter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/pipeline/arena_parallel.h"
#include "bvhmill/pipeline/edit_stage.h"
#include "bvhmill/pipeline/encode_clip.h"
#include "bvhmill/pipeline/judge.h"
#include "bvhmill/pipeline/row_window.h"
#include "bvhmill/pipeline/stopwatch.h"

namespace bvhmill {
namespace {

// However many frames a file says to have, sizes made of them do not overflow.
constexpr int64_t kMostExpectedFrames = int64_t{1} << 31;
// Rows that are edited at once, if one does not complete as many.
constexpr int64_t kRowsToEdit = 64;
// Values of edited rows that are gathered before they are fed.
constexpr int64_t kEditedValues = int64_t{1} << 17;

}  // namespace

class ClipConverter::Impl final : public ClipReceiver {
 public:
  Impl(const ConvertOptions& options, OutputReceiver* receiver,
       const CancelToken* cancel, ConvertResult* result);

  bool Push(std::string_view piece);
  void Finish();

  bool OnHeads(const ClipHeads& heads) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

 private:
  bool has_outputs() const { return MakesOutputs(options_); }
  absl::Status BeginEdits(const ClipHeads& heads, int64_t* expected);
  absl::Status BeginOutputs(const ClipHeads& heads);
  absl::Status CheckGrowth(int64_t source_frames, int64_t frames) const;
  absl::Status PushToEditor(int64_t frames, std::span<const float> values);
  bool HoldClip(int64_t bytes);
  absl::Status HoldEdited(int64_t frames);
  absl::Status Keep(std::span<const float> values);
  absl::Status Edit(int64_t frames, std::span<const float> values);
  absl::Status Feed(int64_t frames, std::span<const float> values);
  absl::Status SolveInParts(int64_t frames, std::span<const float> values);
  absl::Status Solve(const TileRows& rows);
  absl::Status End(int64_t source_frames);
  absl::Status EndOutputs();
  absl::Status EndWhole();
  void FinishReading(const StreamResult& read);

  const ConvertOptions& options_;
  OutputReceiver* receiver_;
  const CancelToken* cancel_;
  ConvertResult& result_;
  WorkspaceLease lease_;
  Workspace& workspace_;
  // What options say is good.
  bool is_good_ = false;
  std::optional<IssueLog> log_;
  std::optional<StreamReader> reader_;

  // The skeleton of the file, and of the edited clip; with the reader and the
  // editor.
  std::optional<ClipHeads> heads_;
  std::optional<ClipEditor> editor_;
  EditedRows edited_;
  // Rows that the editor took; at once; frames that each completes, about, and,
  // where these are many, at least.
  int64_t edited_from_ = 0;
  double growth_ = 1;
  int64_t rows_to_edit_ = kRowsToEdit;
  int64_t frames_of_row_ = 0;
  // Values of them that there is memory for.
  int64_t edited_held_ = 2 * kEditedValues;
  // All rows are kept until the end.
  bool keeps_rows_ = false;
  Clip kept_;
  RowWindow window_;
  // Frames that were fed to the outputs.
  int64_t fed_ = 0;
  // Of edits and outputs; the clip is only read, for its report, if it is bad.
  absl::Status status_;
  // What the receiver said of memory for text that cannot be read yet.
  absl::Status held_;
};

ClipConverter::Impl::Impl(const ConvertOptions& options,
                          OutputReceiver* receiver, const CancelToken* cancel,
                          ConvertResult* result)
    : options_(options),
      receiver_(receiver),
      cancel_(cancel),
      result_(*result),
      workspace_(*lease_) {
  Reset(result);
  result->status = CheckOptions(options);
  if (!result->status.ok()) {
    result->fault = FaultOfOptions(result->status);
    return;
  }
  is_good_ = true;
  log_.emplace(LogOptions(options));
  workspace_.stage.SetOutputs(options);
  workspace_.BeginTiles(1);
  keeps_rows_ = has_outputs() && workspace_.stage.NeedsFrameCount();
  ReadOptions how;
  how.limits = options.limits;
  how.cancel = cancel;
  if (receiver != nullptr) {
    how.hold = [this](int64_t bytes) { return HoldClip(bytes); };
  }
  reader_.emplace(how, &*log_, this);
}

bool ClipConverter::Impl::Push(std::string_view piece) {
  const StageTimer timer(&result_.times.read);
  return is_good_ && reader_->Push(piece);
}

bool ClipConverter::Impl::HoldClip(int64_t bytes) {
  held_ = receiver_->HoldClip(bytes);
  return held_.ok();
}

absl::Status ClipConverter::Impl::BeginEdits(const ClipHeads& heads,
                                             int64_t* expected) {
  if (IsEmpty(options_.edits)) return absl::OkStatus();
  const auto make = [&](std::optional<int64_t> frames) {
    return ClipEditor::Make(options_.edits, options_.conventions,
                            heads.skeleton, heads.frame_time, frames,
                            options_.limits, cancel_);
  };
  auto editor = make(std::nullopt);
  if (!editor.ok()) return editor.status();
  editor_.emplace(*std::move(editor));
  const double growth = options_.edits.resample_fps * heads.frame_time;
  growth_ = std::max(growth, 1.0);
  const auto width = static_cast<int64_t>(editor_->skeleton().channels.size());
  const double values = growth_ * static_cast<double>(width);
  rows_to_edit_ = std::clamp<int64_t>(
      static_cast<int64_t>(kEditedValues / std::max(values, 1.0)), 1,
      kRowsToEdit);
  if (growth > kRowsToEdit) {
    rows_to_edit_ = 1;
    frames_of_row_ = static_cast<int64_t>(
        std::min(growth, static_cast<double>(kMostExpectedFrames)));
  }
  const auto guess = make(*expected);
  *expected = guess.ok() ? guess->frames().value_or(0) : 0;
  return absl::OkStatus();
}

absl::Status ClipConverter::Impl::BeginOutputs(const ClipHeads& heads) {
  int64_t expected = std::min(heads.declared_frames, kMostExpectedFrames);
  absl::Status status = BeginEdits(heads, &expected);
  if (!status.ok()) result_.fault = FaultOfEdit(status);
  if (!status.ok() || !has_outputs() || keeps_rows_) return status;
  const Skeleton& skeleton = editor_ ? editor_->skeleton() : heads.skeleton;
  const double frame_time = editor_ ? editor_->frame_time() : heads.frame_time;
  DescribeClip(skeleton, expected, frame_time, &result_.info);
  window_.Begin(static_cast<int64_t>(skeleton.channels.size()));
  status = workspace_.stage.Begin({&skeleton, expected, frame_time}, receiver_,
                                  &result_);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

bool ClipConverter::Impl::OnHeads(const ClipHeads& heads) {
  heads_.emplace(heads);
  workspace_.samples.Begin(
      static_cast<int64_t>(heads.skeleton.channels.size()));
  status_ = BeginOutputs(heads);
  return true;
}

bool ClipConverter::Impl::OnFrames(int64_t /*first_frame*/, int64_t frames,
                                   std::span<const float> values) {
  workspace_.samples.Add(frames, values);
  if (status_.ok()) status_ = Edit(frames, values);
  return true;
}

absl::Status ClipConverter::Impl::CheckGrowth(int64_t source_frames,
                                              int64_t frames) const {
  return bvhmill::CheckGrowth(
      {source_frames, static_cast<int64_t>(heads_->skeleton.channels.size())},
      {frames, static_cast<int64_t>(editor_->skeleton().channels.size())},
      options_.limits);
}

// Adds the rows that a few rows complete, of which one may complete many.
absl::Status ClipConverter::Impl::PushToEditor(int64_t frames,
                                               std::span<const float> values) {
  const StageTimer timer(&result_.times.edit);
  edited_from_ += frames;
  // Before it takes the memory: the first row completes one frame only.
  const int64_t least = edited_from_ > 1 ? frames_of_row_ : 0;
  BVHMILL_RETURN_IF_ERROR(
      CheckGrowth(edited_from_, fed_ + edited_.frames + least));
  BVHMILL_RETURN_IF_ERROR(HoldEdited(edited_from_ > 1 ? frames : 0));
  BVHMILL_RETURN_IF_ERROR(editor_->Push(frames, values, &edited_));
  return CheckGrowth(edited_from_, fed_ + edited_.frames);
}

// Asks for the memory of what `frames` more rows complete.
absl::Status ClipConverter::Impl::HoldEdited(int64_t frames) {
  if (receiver_ == nullptr) return absl::OkStatus();
  const auto most = std::min(growth_ * static_cast<double>(frames),
                             static_cast<double>(kMostExpectedFrames));
  const auto width = static_cast<int64_t>(editor_->skeleton().channels.size());
  const int64_t values =
      (edited_.frames + static_cast<int64_t>(most) + 1) * width;
  if (values <= edited_held_) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(receiver_->HoldClip(
      (values - edited_held_) * static_cast<int64_t>(sizeof(float))));
  edited_held_ = values;
  edited_.values.reserve(static_cast<size_t>(values));
  return absl::OkStatus();
}

absl::Status ClipConverter::Impl::Edit(int64_t frames,
                                       std::span<const float> values) {
  if (!editor_) return Feed(frames, values);
  const size_t width = heads_->skeleton.channels.size();
  for (int64_t first = 0; first < frames;) {
    const int64_t count = std::min(rows_to_edit_, frames - first);
    const absl::Status status =
        PushToEditor(count, values.subspan(static_cast<size_t>(first) * width,
                                           static_cast<size_t>(count) * width));
    if (!status.ok()) result_.fault = FaultOfEdit(status);
    BVHMILL_RETURN_IF_ERROR(status);
    first += count;
    const auto gathered = static_cast<int64_t>(edited_.values.size());
    if (first < frames && gathered < kEditedValues) continue;
    BVHMILL_RETURN_IF_ERROR(Feed(edited_.frames, edited_.values));
    edited_.frames = 0;
    edited_.values.clear();
  }
  return absl::OkStatus();
}

// Rows are kept in memory that was asked for before it is taken.
absl::Status ClipConverter::Impl::Keep(std::span<const float> values) {
  auto& kept = kept_.motion.values;
  const size_t size = kept.size() + values.size();
  if (size > kept.capacity()) {
    const size_t room = std::max(size, 2 * kept.capacity());
    const absl::Status held = receiver_->HoldClip(
        static_cast<int64_t>((room - kept.capacity()) * sizeof(float)));
    if (!held.ok()) {
      kept = {};
      return held;
    }
    kept.reserve(room);
  }
  kept.insert(kept.end(), values.begin(), values.end());
  return absl::OkStatus();
}

absl::Status ClipConverter::Impl::Feed(int64_t frames,
                                       std::span<const float> values) {
  fed_ += frames;
  if (!has_outputs() || frames == 0) return absl::OkStatus();
  if (keeps_rows_) return Keep(values);
  return SolveInParts(frames, values);
}

// Poses of a tile may be too many to be solved at once.
absl::Status ClipConverter::Impl::SolveInParts(int64_t frames,
                                               std::span<const float> values) {
  const int64_t most = workspace_.stage.MostFrames();
  const size_t width = values.size() / static_cast<size_t>(frames);
  for (int64_t done = 0; done < frames; done += most) {
    TileRows rows;
    rows.first_frame = fed_ - frames + done;
    rows.frames = std::min(most, frames - done);
    rows.values = values.subspan(static_cast<size_t>(done) * width,
                                 static_cast<size_t>(rows.frames) * width);
    if (workspace_.stage.NeedsNeighbours()) {
      window_.Add(rows.frames, rows.values);
      rows = window_.Take(/*is_end=*/false);
    }
    BVHMILL_RETURN_IF_ERROR(Solve(rows));
  }
  return absl::OkStatus();
}

absl::Status ClipConverter::Impl::Solve(const TileRows& rows) {
  if (rows.frames == 0) return absl::OkStatus();
  workspace_.stage.Solve(rows, &workspace_.tiles[0]);
  const absl::Status status = workspace_.stage.Add(rows, &workspace_.tiles[0]);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

// The rows were kept: they are a clip.
absl::Status ClipConverter::Impl::EndWhole() {
  kept_.skeleton = editor_ ? editor_->skeleton() : heads_->skeleton;
  kept_.motion.frames = fed_;
  kept_.motion.frame_time =
      editor_ ? editor_->frame_time() : heads_->frame_time;
  DescribeClip(kept_.skeleton, fed_, kept_.motion.frame_time, &result_.info);
  ArenaParallel parallel;
  workspace_.BeginTiles(parallel.threads());
  const absl::Status status =
      EncodeClip(kept_, &parallel, receiver_, cancel_, &workspace_, &result_);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

absl::Status ClipConverter::Impl::End(int64_t source_frames) {
  if (!status_.ok()) return status_;
  // Frames without values do not come by themselves.
  if (heads_->skeleton.channels.empty()) {
    for (int64_t left = source_frames; left > 0;) {
      const int64_t frames = std::min<int64_t>(left, 1024);
      BVHMILL_RETURN_IF_ERROR(Edit(frames, {}));
      left -= frames;
    }
  }
  if (editor_) {
    const absl::Status status = editor_->Finish();
    if (!status.ok()) result_.fault = FaultOfEdit(status);
    BVHMILL_RETURN_IF_ERROR(status);
    DescribeClip(editor_->skeleton(), fed_, editor_->frame_time(),
                 &result_.info);
  }
  return EndOutputs();
}

absl::Status ClipConverter::Impl::EndOutputs() {
  if (options_.checks_only) {
    workspace_.stage.Check(
        {editor_ ? &editor_->skeleton() : &heads_->skeleton, fed_,
         editor_ ? editor_->frame_time() : heads_->frame_time});
  }
  if (!has_outputs()) return absl::OkStatus();
  if (keeps_rows_) return EndWhole();
  if (workspace_.stage.NeedsNeighbours()) {
    BVHMILL_RETURN_IF_ERROR(Solve(window_.Take(/*is_end=*/true)));
  }
  const absl::Status status = workspace_.stage.End(fed_, &workspace_.tiles[0]);
  if (!status.ok()) result_.fault = workspace_.stage.fault();
  return status;
}

void ClipConverter::Impl::FinishReading(const StreamResult& read) {
  const Skeleton none;
  const Fault fault = std::exchange(result_.fault, {});
  const ClipRead facts = {
      read.skeleton_read,
      read.motion_read,
      heads_ ? heads_->skeleton : none,
      heads_ ? heads_->node_places : std::span<const Place>(),
      read.frames,
      heads_ ? heads_->frame_time : 0};
  Judge(options_, facts, workspace_.samples, cancel_, &*log_, &result_);
  if (!held_.ok()) return RefuseUnread(held_, &result_);
  if (!result_.status.ok()) return;
  result_.fault = fault;
  result_.status = End(read.frames);
  workspace_.stage.FinishReport(&result_.report);
}

void ClipConverter::Impl::Finish() {
  if (!is_good_) {
    result_.info = {};
    result_.outputs.clear();
    return;
  }
  StreamResult read;
  {
    const StageTimer timer(&result_.times.read);
    read = reader_->Finish();
  }
  FinishReading(read);
  StageTimes& times = result_.times;
  for (const TileBuffers& buffers : workspace_.tiles) {
    times.solve += buffers.solve;
    times.encode += buffers.encode;
  }
  const auto within = times.solve + times.encode + times.edit;
  if (!keeps_rows_) {
    times.read = std::max(times.read - within, std::chrono::nanoseconds{0});
  }
  if (!result_.status.ok() || !has_outputs()) result_.outputs.clear();
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

bool ClipConverter::Push(std::string_view piece) { return impl_->Push(piece); }
void ClipConverter::Finish() { impl_->Finish(); }

}  // namespace bvhmill
