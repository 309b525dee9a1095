// The formats that are one array without a header: positions, rotations and
// velocities of joints, and the values of the clip. Frame-major arrays are
// written tile by tile. In a joint-major array each joint needs all frames, so
// it is solved whole.

#include <utility>

#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/poses.h"

namespace bvhmill {
namespace {

// The axes after (frame, joint), and their sizes.
struct Components {
  std::span<const int64_t> sizes;
  std::span<const std::string_view> axes;
};

Components ComponentsOf(const PoseArray& array) {
  static constexpr int64_t kSizes[] = {3, 4, 3, 3, 6, 4, 3, 3, 3, 3, 3, 3, 3};
  static constexpr std::string_view kAxes[] = {"xyz",
                                               "xyzw",
                                               "row",
                                               "column",
                                               "6d",
                                               "wxyz",
                                               "rotation_vector",
                                               "euler_xyz",
                                               "euler_xzy",
                                               "euler_yxz",
                                               "euler_yzx",
                                               "euler_zxy",
                                               "euler_zyx"};
  const auto slice = [](size_t first, size_t count) {
    return Components{std::span(kSizes).subspan(first, count),
                      std::span(kAxes).subspan(first, count)};
  };
  if (!IsRotations(array)) return slice(0, 1);
  switch (array.rotation_kind) {
    case RotationKind::kQuaternion:
      return slice(1, 1);
    case RotationKind::kMatrix:
      return slice(2, 2);
    case RotationKind::kSixD:
      return slice(4, 1);
    default:
      // The others are in the order of the enum.
      return slice(static_cast<size_t>(array.rotation_kind) + 2, 1);
  }
}

int64_t Describe(const PoseArray& array, const Skeleton& skeleton,
                 int64_t frames, OutputInfo* info) {
  if (!info->tensor) info->tensor.emplace();
  DescribeTensor(array, skeleton, frames, &*info->tensor);
  return info->size_bytes = TensorBytes(*info->tensor);
}

absl::Status EncodeTensor(const PoseArray& array, const EncodeContext& context,
                          Sink* sink) {
  if (array.layout == TensorLayout::kFrameMajor) {
    return WritePoses(array, context,
                      [sink](int64_t /*first*/, int64_t /*frames*/,
                             std::span<const float> poses) {
                        return sink->Append(BytesOf(poses));
                      });
  }
  return WriteWhole(array, context, [sink](std::string_view bytes) {
    return sink->Append(bytes);
  });
}

PoseArray ArrayOf(const PositionsFormat& format) {
  PoseArray array;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  return array;
}

PoseArray ArrayOf(const VelocitiesFormat& format) {
  PoseArray array;
  array.kind = PoseKind::kVelocities;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  return array;
}

PoseArray ArrayOf(const RotationsFormat& format) {
  PoseArray array;
  array.kind = format.rotation_space == RotationSpace::kLocal
                   ? PoseKind::kLocalRotations
                   : PoseKind::kWorldRotations;
  array.with_end_sites = format.with_end_sites;
  array.layout = format.layout;
  array.rotation_kind = format.rotation_kind;
  return array;
}

}  // namespace

void DescribeTensor(const PoseArray& array, const Skeleton& skeleton,
                    int64_t frames, TensorInfo* tensor) {
  tensor->shape = {frames, RowsOf(array, skeleton)};
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

absl::Status CheckPositionsFormat(const PositionsFormat& /*format*/) {
  return absl::OkStatus();
}

absl::Status CheckRotationsFormat(const RotationsFormat& /*format*/) {
  return absl::OkStatus();
}

absl::Status CheckVelocitiesFormat(const VelocitiesFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribePositionsFormat(const PositionsFormat& format,
                                const Skeleton& skeleton, int64_t frames,
                                OutputInfo* info) {
  return Describe(ArrayOf(format), skeleton, frames, info);
}

absl::Status EncodePositionsFormat(const PositionsFormat& format,
                                   const EncodeContext& context, Sink* sink) {
  return EncodeTensor(ArrayOf(format), context, sink);
}

int64_t DescribeRotationsFormat(const RotationsFormat& format,
                                const Skeleton& skeleton, int64_t frames,
                                OutputInfo* info) {
  return Describe(ArrayOf(format), skeleton, frames, info);
}

absl::Status EncodeRotationsFormat(const RotationsFormat& format,
                                   const EncodeContext& context, Sink* sink) {
  return EncodeTensor(ArrayOf(format), context, sink);
}

int64_t DescribeVelocitiesFormat(const VelocitiesFormat& format,
                                 const Skeleton& skeleton, int64_t frames,
                                 OutputInfo* info) {
  return Describe(ArrayOf(format), skeleton, frames, info);
}

absl::Status EncodeVelocitiesFormat(const VelocitiesFormat& format,
                                    const EncodeContext& context, Sink* sink) {
  return EncodeTensor(ArrayOf(format), context, sink);
}

absl::Status CheckValuesFormat(const ValuesFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribeValuesFormat(const ValuesFormat& /*format*/,
                             const Skeleton& skeleton, int64_t frames,
                             OutputInfo* info) {
  if (!info->tensor) info->tensor.emplace();
  info->tensor->shape = {frames,
                         static_cast<int64_t>(skeleton.channels.size())};
  info->tensor->axes = {"frame", "channel"};
  return info->size_bytes = TensorBytes(*info->tensor);
}

absl::Status EncodeValuesFormat(const ValuesFormat& /*format*/,
                                const EncodeContext& context, Sink* sink) {
  return sink->Append(
      BytesOf(std::span<const float>(context.clip->motion.values)));
}

}  // namespace bvhmill
