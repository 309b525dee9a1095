#include <algorithm>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/encode/encode.h"

namespace bvhmill {

absl::Status CheckBvhFormat(const BvhFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribeBvhFormat(const BvhFormat& /*format*/,
                          const Skeleton& /*skeleton*/, int64_t /*frames*/,
                          OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeBvhFormat(const BvhFormat& format,
                             const EncodeContext& context, Sink* sink) {
  // Writing a number as text takes many times as long as copying it.
  constexpr int64_t kTextWork = 24;
  constexpr int64_t kStepFrames = 1024;
  const BvhWriteOptions options = {.decimals = format.decimals};
  const Skeleton& skeleton = context.skeleton();
  const Motion& motion = context.clip->motion;
  BVHMILL_RETURN_IF_ERROR(
      WriteBvhHead(skeleton, motion.frames, motion.frame_time, options, sink));
  const auto width = static_cast<int64_t>(skeleton.channels.size());
  const std::span<const float> values = motion.values;
  for (int64_t first = 0; first < motion.frames; first += kStepFrames) {
    const int64_t frames = std::min(kStepFrames, motion.frames - first);
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(context.budget, frames * (1 + kTextWork * width)));
    BVHMILL_RETURN_IF_ERROR(
        WriteBvhRows(skeleton,
                     values.subspan(static_cast<size_t>(first * width),
                                    static_cast<size_t>(frames * width)),
                     options, sink));
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
