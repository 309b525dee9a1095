#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bvhmill/pipeline/conversion.h"
#include "bvhmill/pipeline/internal/clip_in_memory.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/pipeline/internal/parallel_kinds.h"

namespace bvhmill {

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

const absl::Status& FirstFailure(const ConvertResult& result) {
  const auto failed =
      std::find_if(result.outputs.begin(), result.outputs.end(),
                   [](const OutputInfo& o) { return !o.status.ok(); });
  const bool is_whole = !result.status.ok() || failed == result.outputs.end();
  return is_whole ? result.status : failed->status;
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

}  // namespace bvhmill
