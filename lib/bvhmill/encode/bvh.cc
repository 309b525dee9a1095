#include <algorithm>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/edit/channel_layout.h"
#include "bvhmill/encode/encode.h"

namespace bvhmill {
namespace {

// Writing a number as text takes many times as long as copying it.
constexpr int64_t kTextWork = 24;
constexpr int64_t kStepFrames = 1024;

void LogLost(const ChannelMapper& mapper, const EncodeContext& context) {
  for (const LostPlace& lost : mapper.lost()) {
    Location location;
    location.joint = lost.node;
    location.joint_name = DisplayName(context.skeleton(), lost.node);
    context.log->Add(
        IssueCode::TARGET_BVH_PLACE_LOST, location,
        {{"joint", Quote(location.joint_name)}, {"way", Short(lost.way)}});
  }
}

// Writes the clip with other channels.
absl::Status WriteMapped(const ChannelLayout& layout,
                         const BvhWriteOptions& options,
                         const EncodeContext& context, Sink* sink) {
  // Nodes, channels and columns of the new skeleton.
  constexpr int64_t kNodeBytes = 512;
  const Skeleton& before = context.skeleton();
  const Motion& motion = context.clip->motion;
  const auto nodes = static_cast<int64_t>(before.nodes.size());
  const size_t columns = before.channels.size();
  HeldMemory memory(context.budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(SkeletonBytes(before) +
                                      nodes * kNodeBytes +
                                      static_cast<int64_t>(columns) * 16));
  ChannelMapper mapper(layout, before, context.conventions);
  BVHMILL_RETURN_IF_ERROR(
      mapper.FindPlaces(motion.frames, motion.values, context.budget));
  LogLost(mapper, context);
  BVHMILL_RETURN_IF_ERROR(WriteBvhHead(mapper.skeleton(), motion.frames,
                                       motion.frame_time, options, sink));
  const size_t width = mapper.skeleton().channels.size();
  const auto row_values = static_cast<int64_t>(width);
  const int64_t step = std::clamp<int64_t>(
      kStepFrames * 128 / std::max<int64_t>(row_values, 1), 1, kStepFrames);
  BVHMILL_RETURN_IF_ERROR(
      memory.Draw(step * row_values * static_cast<int64_t>(sizeof(float))));
  std::vector<float> rows;
  const std::span<const float> values = motion.values;
  for (int64_t first = 0; first < motion.frames; first += step) {
    const int64_t frames = std::min(step, motion.frames - first);
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(context.budget,
                 frames * (1 + kTextWork * row_values + mapper.RowUnits())));
    rows.resize(static_cast<size_t>(frames) * width);
    for (size_t i = 0; i < static_cast<size_t>(frames); ++i) {
      mapper.Map(
          values.subspan((static_cast<size_t>(first) + i) * columns, columns),
          std::span(rows).subspan(i * width, width));
    }
    BVHMILL_RETURN_IF_ERROR(
        WriteBvhRows(mapper.skeleton(), rows, options, sink));
  }
  return absl::OkStatus();
}

}  // namespace

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
  const BvhWriteOptions options = {.decimals = format.decimals};
  const ChannelLayout layout = {format.order, format.channels};
  if (!layout.ChangesNothing()) {
    return WriteMapped(layout, options, context, sink);
  }
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
