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
#include "bvhmill/pipeline/internal/conversion.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/parallel_kinds.h"
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

const absl::Status& FirstFailure(const ConvertResult& result) {
  const auto failed =
      std::find_if(result.outputs.begin(), result.outputs.end(),
                   [](const OutputInfo& o) { return !o.status.ok(); });
  const bool is_whole = !result.status.ok() || failed == result.outputs.end();
  return is_whole ? result.status : failed->status;
}

namespace {

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

// Copies `clip` into `read`, which is empty. Leaves it so if the clip exceeds a
// limit, or the budget of the conversion refuses its memory.
void CopyClip(const ClipRows& clip, const Limits& limits,
              Conversion* conversion, ParsedClip* read) {
  const auto bytes = static_cast<int64_t>(clip.values.size_bytes());
  conversion->budget()->AddInput(bytes);
  if (!CheckClipLimits(clip.skeleton->skeleton, clip.frames, limits,
                       conversion->log()) ||
      !conversion->budget()->Hold(bytes).ok()) {
    return;
  }
  read->source = clip.skeleton;
  read->motion.frames = clip.frames;
  read->motion.frame_time = clip.frame_time;
  read->motion.values.assign(clip.values.begin(), clip.values.end());
  read->skeleton_read = read->motion_read = true;
  LogNonFinite(clip, conversion->log());
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
  Conversion conversion(options, receiver, cancel, state_->parallel.get(),
                        workspace, result);
  if (!conversion.is_good()) return;
  const auto size = static_cast<int64_t>(bytes.size());
  conversion.budget()->AddInput(size);
  // The budget keeps its failure.
  if (conversion.budget()->Work(size).ok()) {
    const StageTimer timer(conversion.read_time());
    ReaderOf(options.source_format)
        .read(bytes, conversion.HowToRead(), conversion.log(),
              &workspace->read);
  }
  conversion.Finish();
}

ConvertResult Converter::ConvertClip(const ClipRows& clip,
                                     const ConvertOptions& options,
                                     OutputReceiver* receiver,
                                     const CancelToken* cancel) {
  const WorkspaceUse use(state_.get());
  Workspace* workspace = state_->Begin();
  ConvertResult result;
  result.status = CheckRows(clip);
  if (!result.status.ok()) return result;
  Conversion conversion(options, receiver, cancel, state_->parallel.get(),
                        workspace, &result);
  if (!conversion.is_good()) return result;
  CopyClip(clip, options.limits, &conversion, &workspace->read);
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

}  // namespace bvhmill
