// The rows of a clip as an array without a header.

#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/tensor_bytes.h"

namespace bvhmill {

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
