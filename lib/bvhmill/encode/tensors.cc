// Arrays without a header. Frame-major arrays are written tile by tile,
// joint-major ones at the end.

#include <utility>

#include "bvhmill/encode/encoders.h"
#include "bvhmill/encode/tensor_bytes.h"

namespace bvhmill {
namespace {

// The axes after (frame, joint), and their sizes.
struct Components {
  std::span<const int64_t> sizes;
  std::span<const std::string_view> axes;
};

Components ComponentsOf(const PoseArray& array) {
  static constexpr int64_t kSizes[] = {3, 4, 3, 3, 6};
  static constexpr std::string_view kAxes[] = {"xyz", "xyzw", "row", "column",
                                               "6d"};
  const auto slice = [](size_t first, size_t count) {
    return Components{std::span(kSizes).subspan(first, count),
                      std::span(kAxes).subspan(first, count)};
  };
  switch (WidthOf(array)) {
    case 4:
      return slice(1, 1);
    case 9:
      return slice(2, 2);
    case 6:
      return slice(4, 1);
    default:
      return slice(0, 1);
  }
}

}  // namespace

void DescribeTensor(const PoseArray& array, const EncodeContext& context,
                    TensorInfo* tensor) {
  const int64_t rows = RowsOf(array, *context.skeleton);
  tensor->shape = {context.frames, rows};
  tensor->axes.resize(2);
  tensor->axes[0] = "frame";
  tensor->axes[1] = "joint";
  if (array.layout == TensorLayout::kJointMajor) {
    std::swap(tensor->shape[0], tensor->shape[1]);
    std::swap(tensor->axes[0], tensor->axes[1]);
  }
  const Components components = ComponentsOf(array);
  tensor->shape.insert(tensor->shape.end(), components.sizes.begin(),
                       components.sizes.end());
  tensor->axes.insert(tensor->axes.end(), components.axes.begin(),
                      components.axes.end());
}

namespace {

class TensorEncoder final : public Encoder {
 public:
  explicit TensorEncoder(const PoseArray& array) {
    needs_.arrays = {array};
    needs_.full_arrays = array.layout == TensorLayout::kJointMajor;
    needs_.frame_count = needs_.full_arrays;
  }

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& context, OutputInfo* info) const override {
    if (!info->tensor) info->tensor.emplace();
    DescribeTensor(needs_.arrays[0], context, &*info->tensor);
    info->size_bytes = TensorBytes(*info->tensor);
  }

  absl::Status Begin(const EncodeContext& /*context*/,
                     Sink* /*sink*/) override {
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& /*tile*/, PoseSpans arrays,
                   Sink* sink) override {
    return arrays.empty() ? absl::OkStatus() : sink->Append(BytesOf(arrays[0]));
  }

  absl::Status End(PoseSpans arrays, Sink* sink) override {
    return arrays.empty() ? absl::OkStatus() : sink->Append(BytesOf(arrays[0]));
  }

 private:
  EncoderNeeds needs_;
};

}  // namespace

absl::Status CheckPositionsFormat(const PositionsFormat& /*format*/) {
  return absl::OkStatus();
}

absl::Status CheckRotationsFormat(const RotationsFormat& /*format*/) {
  return absl::OkStatus();
}

absl::Status CheckVelocitiesFormat(const VelocitiesFormat& /*format*/) {
  return absl::OkStatus();
}

std::unique_ptr<Encoder> MakePositionsEncoder(const PositionsFormat& format) {
  PoseArray array;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  return std::make_unique<TensorEncoder>(array);
}

std::unique_ptr<Encoder> MakeVelocitiesEncoder(const VelocitiesFormat& format) {
  PoseArray array;
  array.kind = PoseKind::kVelocities;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  return std::make_unique<TensorEncoder>(array);
}

std::unique_ptr<Encoder> MakeRotationsEncoder(const RotationsFormat& format) {
  PoseArray array;
  array.kind = format.space == RotationSpace::kLocal
                   ? PoseKind::kLocalRotations
                   : PoseKind::kWorldRotations;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  array.rotation_kind = format.kind;
  return std::make_unique<TensorEncoder>(array);
}

}  // namespace bvhmill
