#include "bvhmill/bvh/writer.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

class BvhEncoder final : public Encoder {
 public:
  explicit BvhEncoder(const BvhFormat& format)
      : options_{.decimals = format.decimals} {}

  EncoderNeeds Needs() const override { return {}; }

  OutputInfo Describe(const EncodeContext& /*context*/) const override {
    OutputInfo info;
    info.media_type = "text/x-bvh";
    return info;
  }

  absl::Status Begin(const EncodeContext& context, Sink* sink) override {
    skeleton_ = context.skeleton;
    return WriteBvhHead(*skeleton_, context.frames, context.frame_time,
                        options_, sink);
  }

  absl::Status Add(const PoseTile& tile, Sink* sink) override {
    return WriteBvhRows(*skeleton_, tile.values, options_, sink);
  }

  absl::Status End(Sink* /*sink*/) override { return absl::OkStatus(); }

 private:
  BvhWriteOptions options_;
  const Skeleton* skeleton_ = nullptr;
};

}  // namespace

std::unique_ptr<Encoder> MakeBvhEncoder(const BvhFormat& format) {
  return std::make_unique<BvhEncoder>(format);
}

}  // namespace bvhmill
