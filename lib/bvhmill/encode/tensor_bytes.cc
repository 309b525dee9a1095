#include "bvhmill/encode/tensor_bytes.h"

#include <algorithm>
#include <utility>

namespace bvhmill {

TensorInfo MakeTensor(TensorLayout layout, int64_t frames, int64_t joints,
                      std::span<const int64_t> components,
                      std::span<const std::string_view> axes) {
  TensorInfo tensor{{frames, joints}, {"frame", "joint"}};
  if (layout == TensorLayout::kJointMajor) {
    std::swap(tensor.shape[0], tensor.shape[1]);
    std::swap(tensor.axes[0], tensor.axes[1]);
  }
  tensor.shape.insert(tensor.shape.end(), components.begin(), components.end());
  tensor.axes.insert(tensor.axes.end(), axes.begin(), axes.end());
  return tensor;
}

void TensorWriter::Begin(int64_t frames, int64_t joints, int64_t width) {
  frames_ = frames;
  joints_ = joints;
  width_ = width;
  if (layout_ == TensorLayout::kJointMajor) {
    values_.resize(static_cast<size_t>(frames * joints * width));
  }
}

absl::Status TensorWriter::Add(int64_t first_frame, std::span<const float> tile,
                               Sink* sink) {
  if (layout_ == TensorLayout::kFrameMajor) return sink->Append(BytesOf(tile));
  Transpose(first_frame, tile);
  return absl::OkStatus();
}

absl::Status TensorWriter::End(Sink* sink) {
  return sink->Append(BytesOf(std::span<const float>(values_)));
}

void TensorWriter::Transpose(int64_t first_frame, std::span<const float> tile) {
  if (joints_ == 0) return;
  const int64_t frames = static_cast<int64_t>(tile.size()) / (joints_ * width_);
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (int64_t joint = 0; joint < joints_; ++joint) {
      const float* from = tile.data() + (frame * joints_ + joint) * width_;
      float* to =
          values_.data() + (joint * frames_ + first_frame + frame) * width_;
      std::copy(from, from + width_, to);
    }
  }
}

}  // namespace bvhmill
