#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/tensor_bytes.h"

namespace bvhmill {
namespace {

class PositionsEncoder final : public Encoder {
 public:
  explicit PositionsEncoder(const PositionsFormat& format)
      : format_(format), writer_(format.layout) {}

  EncoderNeeds Needs() const override {
    return {.joint_positions = !format_.with_end_sites,
            .node_positions = format_.with_end_sites};
  }

  OutputInfo Describe(const EncodeContext& context) const override {
    OutputInfo info;
    info.media_type = kTensorMediaType;
    constexpr int64_t kComponents[] = {3};
    constexpr std::string_view kAxes[] = {"xyz"};
    info.tensor = MakeTensor(format_.layout, context.frames, Rows(context),
                             kComponents, kAxes);
    info.size_bytes = TensorBytes(*info.tensor);
    return info;
  }

  absl::Status Begin(const EncodeContext& context, Sink* /*sink*/) override {
    writer_.Begin(context.frames, Rows(context), 3);
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& tile, Sink* sink) override {
    const auto positions =
        format_.with_end_sites ? tile.node_positions : tile.joint_positions;
    return writer_.Add(tile.first_frame, positions, sink);
  }

  absl::Status End(Sink* sink) override { return writer_.End(sink); }

 private:
  int64_t Rows(const EncodeContext& context) const {
    return format_.with_end_sites
               ? static_cast<int64_t>(context.skeleton->nodes.size())
               : JointCount(*context.skeleton);
  }

  PositionsFormat format_;
  TensorWriter writer_;
};

}  // namespace

std::unique_ptr<Encoder> MakePositionsEncoder(const PositionsFormat& format) {
  return std::make_unique<PositionsEncoder>(format);
}

}  // namespace bvhmill
