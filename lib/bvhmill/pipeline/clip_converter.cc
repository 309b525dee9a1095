#include "bvhmill/pipeline/clip_converter.h"

#include <memory>

#include "bvhmill/bvh/piece_reader.h"
#include "bvhmill/pipeline/internal/conversion.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/source_reader.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {

struct ClipConverter::Impl {
  Impl(Converter::State* of, const ConvertOptions& options,
       OutputReceiver* receiver, const CancelToken* cancel,
       ConvertResult* result)
      : state(*of),
        format(options.source_format),
        conversion(options, receiver, cancel, of->parallel.get(), of->Begin(),
                   result) {}

  // The reader of the clip; null if the options are refused.
  PieceReader* Reader() {
    if (reader == nullptr && conversion.is_good()) {
      ReadOptions how = conversion.HowToRead();
      how.text_bytes = text_bytes;
      reader =
          ReaderOf(format).make(how, conversion.log(), &state.workspace->read);
    }
    return reader.get();
  }

  Converter::State& state;
  const SourceFormat format;
  Conversion conversion;
  int64_t text_bytes = 0;
  std::unique_ptr<PieceReader> reader;
  bool has_ended = false;
};

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

void ClipConverter::SetTextBytes(int64_t bytes) { impl_->text_bytes = bytes; }

bool ClipConverter::Push(std::string_view piece) {
  AddInput(static_cast<int64_t>(piece.size()));
  return Read(piece);
}

void ClipConverter::AddInput(int64_t bytes) {
  impl_->conversion.budget()->AddInput(bytes);
}

bool ClipConverter::Read(std::string_view piece) {
  const WorkspaceUse use(&impl_->state);
  PieceReader* const reader = impl_->Reader();
  Budget* const budget = impl_->conversion.budget();
  if (reader == nullptr || !budget->failure().ok()) return false;
  const StageTimer timer(impl_->conversion.read_time());
  // The result says so if that is too much work.
  if (!budget->Work(static_cast<int64_t>(piece.size())).ok()) return false;
  return reader->Push(piece);
}

void ClipConverter::Announce() {
  if (impl_->reader == nullptr) return;
  const WorkspaceUse use(&impl_->state);
  impl_->conversion.Announce();
}

std::vector<Issue> ClipConverter::TakeNewIssues() {
  // The report has the issues of a clip that has ended.
  if (!impl_->conversion.is_good() || impl_->has_ended) return {};
  return impl_->conversion.log()->TakeNew();
}

void ClipConverter::Finish() {
  const WorkspaceUse use(&impl_->state);
  impl_->has_ended = true;
  if (PieceReader* const reader = impl_->Reader(); reader != nullptr) {
    const StageTimer timer(impl_->conversion.read_time());
    reader->Finish();
  }
  impl_->conversion.Finish();
}

}  // namespace bvhmill
