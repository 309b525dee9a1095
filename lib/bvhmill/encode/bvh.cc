#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

class BvhEncoder final : public Encoder {
 public:
  explicit BvhEncoder(const BvhFormat& format)
      : options_{.decimals = format.decimals} {}

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& /*context*/,
                OutputInfo* info) const override {
    info->size_bytes = -1;
    info->tensor.reset();
  }

  absl::Status Begin(const EncodeContext& context, Sink* sink) override {
    skeleton_ = context.skeleton;
    return WriteBvhHead(*skeleton_, context.frames, context.frame_time,
                        options_, sink);
  }

  absl::Status Add(const PoseTile& tile, PoseSpans /*arrays*/,
                   Sink* sink) override {
    return WriteBvhRows(*skeleton_, tile.values, options_, sink);
  }

  absl::Status End(PoseSpans /*arrays*/, Sink* /*sink*/) override {
    return absl::OkStatus();
  }

 private:
  BvhWriteOptions options_;
  // The number of frames is written before the rows.
  EncoderNeeds needs_ = {
      .arrays = {}, .full_arrays = false, .frame_count = true};
  const Skeleton* skeleton_ = nullptr;
};

}  // namespace

absl::Status CheckBvhFormat(const BvhFormat& format) {
  constexpr int32_t kMaxDecimals = 60;
  const bool is_good = format.decimals >= -1 && format.decimals <= kMaxDecimals;
  return is_good ? absl::OkStatus()
                 : InvalidField("bvh.decimals", "is not between 0 and 60");
}

std::unique_ptr<Encoder> MakeBvhEncoder(const BvhFormat& format) {
  return std::make_unique<BvhEncoder>(format);
}

}  // namespace bvhmill
