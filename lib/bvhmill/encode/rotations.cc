#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/tensor_bytes.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

int64_t WidthOf(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
      return 4;
    case RotationKind::kMatrix:
      return 9;
    case RotationKind::kSixD:
      break;
  }
  return 6;
}

// Writes the rotation `xyzw` as `kind`; returns behind the last value.
float* WriteRotation(RotationKind kind, const float* xyzw, float* out) {
  const Mat3<double> m =
      ToMatrix(Quat<double>{xyzw[0], xyzw[1], xyzw[2], xyzw[3]});
  if (kind == RotationKind::kMatrix) {
    for (const auto& row : m) {
      for (const double value : row) *out++ = static_cast<float>(value);
    }
  } else {
    // Zhou et al. 2019, "On the Continuity of Rotation Representations in
    // Neural Networks": the first two columns.
    for (int column = 0; column < 2; ++column) {
      for (const auto& row : m) *out++ = static_cast<float>(row[column]);
    }
  }
  return out;
}

class RotationsEncoder final : public Encoder {
 public:
  explicit RotationsEncoder(const RotationsFormat& format)
      : format_(format), writer_(format.layout) {}

  EncoderNeeds Needs() const override { return {.local_rotations = true}; }

  OutputInfo Describe(const EncodeContext& context) const override {
    OutputInfo info;
    info.media_type = kTensorMediaType;
    info.tensor = Tensor(context.frames, JointCount(*context.skeleton));
    info.size_bytes = TensorBytes(*info.tensor);
    return info;
  }

  absl::Status Begin(const EncodeContext& context, Sink* /*sink*/) override {
    writer_.Begin(context.frames, JointCount(*context.skeleton),
                  WidthOf(format_.kind));
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& tile, Sink* sink) override {
    return writer_.Add(tile.first_frame, InKind(tile.local_rotations), sink);
  }

  absl::Status End(Sink* sink) override { return writer_.End(sink); }

 private:
  TensorInfo Tensor(int64_t frames, int64_t joints) const {
    using Axes = std::vector<std::string_view>;
    using Sizes = std::vector<int64_t>;
    switch (format_.kind) {
      case RotationKind::kQuaternion:
        return MakeTensor(format_.layout, frames, joints, Sizes{4},
                          Axes{"xyzw"});
      case RotationKind::kMatrix:
        return MakeTensor(format_.layout, frames, joints, Sizes{3, 3},
                          Axes{"row", "column"});
      case RotationKind::kSixD:
        break;
    }
    return MakeTensor(format_.layout, frames, joints, Sizes{6}, Axes{"6d"});
  }

  // The quaternions of a tile as what was asked for; lives until the next call.
  std::span<const float> InKind(std::span<const float> quats) {
    if (format_.kind == RotationKind::kQuaternion) return quats;
    converted_.resize(quats.size() / 4 *
                      static_cast<size_t>(WidthOf(format_.kind)));
    float* out = converted_.data();
    for (size_t i = 0; i < quats.size(); i += 4) {
      out = WriteRotation(format_.kind, &quats[i], out);
    }
    return converted_;
  }

  RotationsFormat format_;
  TensorWriter writer_;
  std::vector<float> converted_;
};

}  // namespace

std::unique_ptr<Encoder> MakeRotationsEncoder(const RotationsFormat& format) {
  return std::make_unique<RotationsEncoder>(format);
}

}  // namespace bvhmill
