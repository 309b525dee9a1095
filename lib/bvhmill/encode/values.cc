// The rows of a clip as an array without a header.

#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/tensor_bytes.h"

namespace bvhmill {
namespace {

class ValuesEncoder final : public Encoder {
 public:
  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& context, OutputInfo* info) const override {
    if (!info->tensor) info->tensor.emplace();
    const size_t channels = context.skeleton->channels.size();
    info->tensor->shape = {context.frames, static_cast<int64_t>(channels)};
    info->tensor->axes = {"frame", "channel"};
    info->size_bytes = TensorBytes(*info->tensor);
  }

  absl::Status Begin(const EncodeContext& /*context*/,
                     Sink* /*sink*/) override {
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& tile, PoseSpans /*arrays*/,
                   Sink* sink) override {
    return sink->Append(BytesOf(tile.values));
  }

  absl::Status End(PoseSpans /*arrays*/, Sink* /*sink*/) override {
    return absl::OkStatus();
  }

 private:
  EncoderNeeds needs_;
};

}  // namespace

absl::Status CheckValuesFormat(const ValuesFormat& /*format*/) {
  return absl::OkStatus();
}

std::unique_ptr<Encoder> MakeValuesEncoder(const ValuesFormat& /*format*/) {
  return std::make_unique<ValuesEncoder>();
}

}  // namespace bvhmill
