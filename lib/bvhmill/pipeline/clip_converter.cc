#include "bvhmill/pipeline/clip_converter.h"

#include <algorithm>
#include <memory>

#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/rows/held_rows.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"
#include "bvhmill/pipeline/internal/source_reader.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

// Text that is read before the work that it makes is done.
constexpr size_t kReadBytes = size_t{256} << 10;

}  // namespace

// Delivers rows to the pipeline in steps: one step at once, where the rows are;
// the rest waits for the next steps.
class ClipConverter::Impl final : public ClipReceiver {
 public:
  Impl(Converter::State* state, const ConvertOptions& options,
       OutputReceiver* receiver, const CancelToken* cancel,
       ConvertResult* result);

  Converter::State* state() { return &state_; }

  void SetStepBytes(int64_t bytes) { pipeline_.SetStepBytes(bytes); }
  void AddInput(int64_t bytes) { pipeline_.budget()->AddInput(bytes); }
  bool Read(std::string_view piece);
  void End();
  std::vector<Issue> TakeNewIssues();
  bool CanFlush() const { return reader_ != nullptr && reader_->CanFlush(); }
  void Flush();
  bool has_work() const;
  void Work();
  void Finish();

  bool OnHeader(const ClipHeader& header) override;
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override;

 private:
  Converter::State& state_;
  ConvertResult& result_;
  RowPipeline pipeline_;
  // Null if the options are refused.
  std::unique_ptr<PieceReader> reader_;
  // Rows that wait for the next steps, and how many of them are done.
  HeldRows waiting_;
  int64_t done_ = 0;
  // A step was made since the last call of Read, Flush or End.
  bool has_stepped_ = false;
  bool has_ended_ = false;
};

ClipConverter::Impl::Impl(Converter::State* state,
                          const ConvertOptions& options,
                          OutputReceiver* receiver, const CancelToken* cancel,
                          ConvertResult* result)
    : state_(*state),
      result_(*result),
      pipeline_(options, receiver, cancel, state->parallel.get(),
                state->Begin(), result) {
  if (!pipeline_.is_good()) return;
  reader_ = ReaderOf(options.source_format)
                .make(pipeline_.HowToRead(), pipeline_.log(), this);
}

bool ClipConverter::Impl::Read(std::string_view piece) {
  const StageTimer timer(&result_.times.read);
  has_stepped_ = false;
  Budget* budget = pipeline_.budget();
  if (!reader_ || !budget->failure().ok()) return false;
  // The result says so if that is too much work.
  if (!budget->Work(static_cast<int64_t>(piece.size())).ok()) return false;
  return reader_->Push(piece);
}

void ClipConverter::Impl::Flush() {
  const StageTimer timer(&result_.times.read);
  has_stepped_ = false;
  if (reader_) reader_->Flush();
}

std::vector<Issue> ClipConverter::Impl::TakeNewIssues() {
  // The report has the issues of a clip that has ended.
  if (reader_ == nullptr || has_ended_) return {};
  return pipeline_.log()->TakeNew();
}

bool ClipConverter::Impl::OnHeader(const ClipHeader& header) {
  if (!pipeline_.OnHeader(header, /*threads=*/1)) return false;
  pipeline_.BeginOutputs();
  return true;
}

bool ClipConverter::Impl::OnFrames(int64_t /*first_frame*/, int64_t frames,
                                   std::span<const float> values) {
  pipeline_.Observe(frames, values);
  pipeline_.DrawTile(frames);
  if (!pipeline_.ok()) return pipeline_.budget()->failure().ok();
  int64_t used = 0;
  if (!has_stepped_ && !has_work()) {
    has_stepped_ = true;
    pipeline_.Step(frames, values, &used);
  }
  if (!pipeline_.ok() || used == frames) return true;
  const auto width = static_cast<size_t>(pipeline_.header()->width());
  pipeline_.Fail(waiting_.Append(
      frames - used, values.subspan(static_cast<size_t>(used) * width),
      pipeline_.budget()));
  return true;
}

bool ClipConverter::Impl::has_work() const {
  return pipeline_.ok() && (waiting_.frames > 0 || pipeline_.has_more());
}

void ClipConverter::Impl::Work() {
  const StageTimer timer(&result_.times.read);
  pipeline_.Fail(pipeline_.budget()->Work(0));
  int64_t used = 0;
  if (pipeline_.ok()) {
    const auto width = static_cast<size_t>(pipeline_.header()->width());
    const std::span<const float> values = waiting_.values;
    pipeline_.Step(waiting_.frames - done_,
                   values.subspan(static_cast<size_t>(done_) * width), &used);
  }
  done_ += used;
  if (pipeline_.ok() && done_ < waiting_.frames) return;
  waiting_.frames = done_ = 0;
  waiting_.values.clear();
}

void ClipConverter::Impl::End() {
  has_ended_ = true;
  if (!reader_) return;
  StreamResult read;
  {
    const StageTimer timer(&result_.times.read);
    has_stepped_ = false;
    read = reader_->Finish();
  }
  if (!pipeline_.Finalize(read)) return;
  // Readers do not deliver frames without values.
  if (pipeline_.header()->width() == 0) waiting_.frames = read.frames;
}

void ClipConverter::Impl::Finish() {
  if (!reader_) return;
  if (!has_ended_) End();
  while (has_work()) Work();
  if (result_.status.ok()) pipeline_.EndOutputs();
  pipeline_.Finish(pipeline_.keeps_rows() ? 0 : 1);
}

bool NeedsAllRows(const ConvertOptions& options) {
  if (NeedsAllRows(options.edits)) return true;
  return std::any_of(options.outputs.begin(), options.outputs.end(),
                     [](const OutputRequest& request) {
                       return MakeEncoder(request)->Needs().frame_count;
                     });
}

ClipConverter::ClipConverter(Converter* converter,
                             const ConvertOptions& options,
                             OutputReceiver* receiver,
                             const CancelToken* cancel, ConvertResult* result) {
  const WorkspaceUse use(converter->state());
  impl_ = std::make_unique<Impl>(converter->state(), options, receiver, cancel,
                                 result);
}

ClipConverter::ClipConverter(const ConvertOptions& options,
                             OutputReceiver* receiver,
                             const CancelToken* cancel, ConvertResult* result)
    : own_(std::make_unique<Converter>()),
      impl_(std::make_unique<Impl>(own_->state(), options, receiver, cancel,
                                   result)) {}

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
  const WorkspaceUse use(impl_->state());
  return impl_->Read(piece);
}

void ClipConverter::End() {
  const WorkspaceUse use(impl_->state());
  impl_->End();
}

bool ClipConverter::has_work() const { return impl_->has_work(); }

void ClipConverter::Work() {
  const WorkspaceUse use(impl_->state());
  impl_->Work();
}

bool ClipConverter::CanFlush() const { return impl_->CanFlush(); }

void ClipConverter::Flush() {
  const WorkspaceUse use(impl_->state());
  impl_->Flush();
}

std::vector<Issue> ClipConverter::TakeNewIssues() {
  return impl_->TakeNewIssues();
}

void ClipConverter::Finish() {
  const WorkspaceUse use(impl_->state());
  impl_->Finish();
}

}  // namespace bvhmill
