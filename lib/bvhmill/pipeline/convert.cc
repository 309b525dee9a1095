#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/finite.h"
#include "bvhmill/pipeline/internal/clip_limits.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/parallel_kinds.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"
#include "bvhmill/pipeline/internal/source_reader.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The expected size comes from the file, and may be wrong.
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

void ConvertRows(const ClipHeader* header, const StreamResult& read,
                 const WholeConversion& conversion) {
  RowPipeline& pipeline = *conversion.pipeline;
  if (header != nullptr) {
    const StageTimer timer(&conversion.result->times.read);
    if (pipeline.OnHeader(*header, /*threads=*/1)) {
      pipeline.Observe(read.frames, conversion.workspace->read.motion.values);
    }
  }
  if (pipeline.Finalize(read)) pipeline.EncodeWhole();
  pipeline.Finish(/*threads=*/0);
}

namespace {

void ConvertWhole(std::string_view bytes, SourceFormat format,
                  const WholeConversion& conversion) {
  RowPipeline& pipeline = *conversion.pipeline;
  if (!pipeline.is_good()) return;
  const auto size = static_cast<int64_t>(bytes.size());
  pipeline.budget()->AddInput(size);
  if (!pipeline.budget()->Work(size).ok()) {
    pipeline.Finalize({});
    return pipeline.Finish(/*threads=*/0);
  }
  ReaderOf(format).convert(bytes, conversion);
}

Location LocationOf(const Skeleton& skeleton, int64_t frame, int64_t column) {
  Location location;
  const int32_t node = NodeOfColumn(skeleton, column);
  location.joint = node;
  location.joint_name = DisplayName(skeleton, node);
  location.frame = frame;
  location.channel = static_cast<int32_t>(
      column - skeleton.nodes[static_cast<size_t>(node)].first_channel);
  return location;
}

// Logs the values that are not finite, as if they had been read as words.
void LogNonFinite(const ClipRows& clip, IssueLog* log) {
  log->SetValues(static_cast<int64_t>(clip.values.size()));
  if (AreFinite(clip.values)) return;
  const Skeleton& skeleton = clip.skeleton->skeleton;
  const size_t width = skeleton.channels.size();
  for (size_t i = 0; i < clip.values.size(); ++i) {
    const float value = clip.values[i];
    if (std::isfinite(value)) continue;
    const auto column = static_cast<int64_t>(i % width);
    constexpr IssueCode kCode = IssueCode::DATA_NOT_FINITE;
    if (log->Repeat(kCode, NodeOfColumn(skeleton, column))) continue;
    const char* word = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    log->Add(kCode,
             LocationOf(skeleton, static_cast<int64_t>(i / width), column),
             {{"word", Quote(word)}});
  }
}

// INVALID_ARGUMENT "field: why" unless the fields of `clip` fit together.
absl::Status CheckRows(const ClipRows& clip) {
  if (clip.skeleton == nullptr) return InvalidField("skeleton", "is missing");
  if (clip.frames < 0) return InvalidField("frames", "is negative");
  const size_t width = clip.skeleton->skeleton.channels.size();
  const size_t rows = width == 0 ? 0 : clip.values.size() / width;
  const bool fits = width == 0 ? clip.values.empty()
                               : static_cast<size_t>(clip.frames) == rows &&
                                     clip.values.size() % width == 0;
  return fits ? absl::OkStatus() : InvalidField("values", "has the wrong size");
}

// Copies the rows of `clip` to where ConvertRows expects them. False if they
// exceed a limit, or the budget refuses their memory.
bool CopyRows(const ClipRows& clip, const Limits& limits,
              const WholeConversion& conversion) {
  RowPipeline& pipeline = *conversion.pipeline;
  const int64_t bytes = HeldRows::BytesOf(clip.values.size());
  pipeline.budget()->AddInput(bytes);
  if (!CheckClipLimits(clip.skeleton->skeleton, clip.frames, limits,
                       pipeline.log()) ||
      !pipeline.budget()->Hold(bytes).ok()) {
    return false;
  }
  Motion& rows = conversion.workspace->read.motion;
  rows.frames = clip.frames;
  rows.frame_time = clip.frame_time;
  rows.values.assign(clip.values.begin(), clip.values.end());
  LogNonFinite(clip, pipeline.log());
  return true;
}

}  // namespace

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
  const WorkspaceUse use(state_.get());
  Workspace* workspace = state_->Begin();
  Parallel* parallel = state_->parallel.get();
  RowPipeline pipeline(options, receiver, cancel, parallel, workspace, result);
  ConvertWhole(bytes, options.source_format,
               {&pipeline, parallel, workspace, result});
}

ConvertResult Converter::ConvertClip(const ClipRows& clip,
                                     const ConvertOptions& options,
                                     OutputReceiver* receiver,
                                     const CancelToken* cancel) {
  const WorkspaceUse use(state_.get());
  Workspace* workspace = state_->Begin();
  Parallel* parallel = state_->parallel.get();
  ConvertResult result;
  result.status = CheckRows(clip);
  if (!result.status.ok()) return result;
  RowPipeline pipeline(options, receiver, cancel, parallel, workspace, &result);
  if (!pipeline.is_good()) return result;
  const WholeConversion conversion = {&pipeline, parallel, workspace, &result};
  const bool is_read = CopyRows(clip, options.limits, conversion);
  const ClipHeader header = {clip.skeleton, clip.frame_time, clip.frames};
  ConvertRows(is_read ? &header : nullptr, {is_read, is_read, clip.frames},
              conversion);
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

}  // namespace bvhmill
