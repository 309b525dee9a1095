#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <utility>

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/tile_reader.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/fused_conversion.h"
#include "bvhmill/pipeline/internal/parallel_kinds.h"
#include "bvhmill/pipeline/internal/row_pipeline.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The expected size comes from the file, and may be wrong.
    constexpr int64_t kMaxReserved = int64_t{1} << 30;
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

namespace {

// The drivers for a text that is in memory as a whole.
class TextConversion {
 public:
  TextConversion(RowPipeline* pipeline, Parallel* parallel,
                 Workspace* workspace, ConvertResult* result)
      : pipeline_(*pipeline),
        parallel_(*parallel),
        workspace_(*workspace),
        result_(*result) {}

  void Run(std::string_view text);

 private:
  ReadOptions HowToRead();
  void ConvertMatrix(std::string_view text);
  void ConvertTiles(std::string_view text);

  RowPipeline& pipeline_;
  Parallel& parallel_;
  Workspace& workspace_;
  ConvertResult& result_;
};

ReadOptions TextConversion::HowToRead() {
  ReadOptions how = pipeline_.HowToRead();
  how.parallel = parallel_.threads() > 1 ? &parallel_ : nullptr;
  return how;
}

// Reads all rows into one matrix, then makes the outputs.
void TextConversion::ConvertMatrix(std::string_view text) {
  ParsedClip& read = workspace_.read;
  {
    const StageTimer timer(&result_.times.read);
    ReadBvhInto(text, HowToRead(), pipeline_.log(), &read);
    if (read.skeleton_read &&
        pipeline_.OnHeader({read.source, read.motion.frame_time}, 1)) {
      pipeline_.Observe(read.motion.frames, read.motion.values);
    }
  }
  if (pipeline_.Finalize(
          {read.skeleton_read, read.motion_read, read.motion.frames})) {
    pipeline_.EncodeWhole();
  }
  pipeline_.Finish(/*threads=*/0);
}

// Makes the outputs of each tile of rows by the thread that has read it.
void TextConversion::ConvertTiles(std::string_view text) {
  const int workers = IsShortText(text) ? 1 : parallel_.threads();
  FusedConversion receiver(workers, text.size(), &pipeline_);
  StreamResult read;
  {
    const StageTimer timer(&result_.times.read);
    read = ReadBvhTiles(text, HowToRead(), pipeline_.log(), &receiver,
                        &workspace_.reader, &workspace_.read);
  }
  if (pipeline_.Finalize(read)) receiver.End(read.frames);
  pipeline_.Finish(parallel_.threads());
}

void TextConversion::Run(std::string_view text) {
  if (!pipeline_.is_good()) return;
  const auto bytes = static_cast<int64_t>(text.size());
  pipeline_.budget()->AddInput(bytes);
  if (!pipeline_.budget()->Work(bytes).ok()) {
    pipeline_.Finalize({});
    return pipeline_.Finish(/*threads=*/0);
  }
  pipeline_.TakesTiles() ? ConvertTiles(text) : ConvertMatrix(text);
}

}  // namespace

Converter::Converter(Parallelism parallelism)
    : state_(std::make_unique<State>()) {
  state_->parallel = MakeParallel(parallelism);
}
Converter::~Converter() = default;
Converter::Converter(Converter&& other) noexcept = default;
Converter& Converter::operator=(Converter&& other) noexcept = default;

ConvertResult Converter::Convert(std::string_view text,
                                 const ConvertOptions& options,
                                 OutputReceiver* receiver,
                                 const CancelToken* cancel) {
  ConvertResult result;
  ConvertInto(text, options, receiver, cancel, &result);
  return result;
}

void Converter::ConvertInto(std::string_view text,
                            const ConvertOptions& options,
                            OutputReceiver* receiver, const CancelToken* cancel,
                            ConvertResult* result) {
  const WorkspaceUse use(state_.get());
  Workspace* workspace = state_->Begin();
  Parallel* parallel = state_->parallel.get();
  RowPipeline pipeline(options, receiver, cancel, parallel, workspace, result);
  TextConversion(&pipeline, parallel, workspace, result).Run(text);
}

size_t Converter::KeptBytes() const {
  return state_->workspace == nullptr ? 0 : state_->workspace->KeptBytes();
}

void Converter::FreeMemory() { state_->workspace.reset(); }

ConvertResult Convert(std::string_view text, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel) {
  return Converter(Parallelism::None())
      .Convert(text, options, receiver, cancel);
}

}  // namespace bvhmill
