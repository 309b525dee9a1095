#include "bvhmill/edit/editing.h"

#include <string>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

// The factor by which frames may grow, and the number of values that is always
// allowed. The bounds keep little text from taking much memory.
constexpr int64_t kMaxGrowth = 64;
constexpr int64_t kFreeValues = int64_t{4} << 20;

// A value takes at least two bytes of text: a digit and a blank.
constexpr int64_t kBytesPerValue = 2;

// `limit_name` is empty if no option is the limit.
absl::Status TooManyValues(std::string_view limit_name, int64_t limit,
                           const std::string& bound) {
  return LimitError(limit_name, limit,
                    "the clip would have more values than " + bound,
                    kResampleField);
}

absl::Status TooManyFrames(int64_t most) {
  return LimitError("max_frames", most,
                    "the clip would have more than max_frames = " +
                        std::to_string(most) + " frames",
                    kResampleField);
}

float MapValue(const ColumnSource& column, std::span<const float> row) {
  if (column.source < 0) return static_cast<float>(column.bias);
  const float value = row[static_cast<size_t>(column.source)];
  if (column.factor == 1 && column.bias == 0) return value;
  // Adding a bias of 0 also turns -0 into 0.
  return static_cast<float>(value * column.factor + column.bias);
}

bool ChangesRows(const MappedSkeleton& mapped, size_t width) {
  if (mapped.columns.size() != width) return true;
  for (size_t i = 0; i < width; ++i) {
    const ColumnSource& column = mapped.columns[i];
    if (column.source != static_cast<int32_t>(i) || column.factor != 1 ||
        column.bias != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::Status CheckGrowth(const MotionSize& source, const MotionSize& edited,
                         const Limits& limits) {
  const bool grows_wide = edited.columns > source.columns;
  if (edited.frames <= source.frames && !grows_wide) return absl::OkStatus();
  const int64_t max_frames =
      limits.max_frames > 0 ? limits.max_frames : kMaxFrames - 1;
  const bool is_too_long = edited.frames > max_frames;
  // If two bounds are exceeded, the lower one is named.
  const auto has_too_many = [&](int64_t values) {
    if (edited.columns == 0) return false;
    const int64_t frames = values / edited.columns;
    return edited.frames > frames && (!is_too_long || frames < max_frames);
  };
  // A frame of a clip without channels takes no text.
  const bool grows =
      edited.frames / kMaxGrowth > source.frames ||
      (grows_wide && edited.columns / kMaxGrowth >= source.columns);
  if (grows && has_too_many(kFreeValues)) {
    return TooManyValues("", 0, std::to_string(kMaxGrowth) + " times its own");
  }
  const int64_t most = std::max(limits.max_clip_bytes / kBytesPerValue,
                                source.frames * source.columns);
  if (limits.max_clip_bytes > 0 && has_too_many(most)) {
    return TooManyValues(
        "max_clip_bytes", limits.max_clip_bytes,
        "a text of max_clip_bytes = " + std::to_string(limits.max_clip_bytes) +
            " can hold");
  }
  return is_too_long ? TooManyFrames(max_frames) : absl::OkStatus();
}

std::span<const float> RowAt(const Clip& clip, int64_t frame) {
  const size_t width = clip.skeleton.channels.size();
  return std::span<const float>(clip.motion.values)
      .subspan(static_cast<size_t>(frame) * width, width);
}

std::span<float> RowAt(Clip* clip, int64_t frame) {
  const size_t width = clip->skeleton.channels.size();
  return std::span<float>(clip->motion.values)
      .subspan(static_cast<size_t>(frame) * width, width);
}

absl::Status ReserveRows(const MotionSize& edited, Editing* editing) {
  BVHMILL_RETURN_IF_ERROR(
      CheckGrowth(editing->source, edited, editing->limits));
  const auto values = static_cast<size_t>(edited.frames * edited.columns);
  const auto bytes = static_cast<int64_t>(values * sizeof(float));
  const int64_t more = std::max<int64_t>(bytes - editing->spare_bytes, 0);
  BVHMILL_RETURN_IF_ERROR(HoldFrom(editing->budget, more));
  editing->spare_bytes += more;
  // Values that are there would be moved.
  editing->spare->clear();
  editing->spare->resize(values);
  return absl::OkStatus();
}

void AcceptRows(int64_t frames, Skeleton skeleton, Editing* editing) {
  Clip& clip = *editing->clip;
  clip.skeleton = std::move(skeleton);
  clip.motion.frames = frames;
  clip.motion.values.swap(*editing->spare);
  std::swap(editing->row_bytes, editing->spare_bytes);
}

MappedSkeleton Unchanged(Skeleton skeleton) {
  MappedSkeleton out;
  for (size_t i = 0; i < skeleton.channels.size(); ++i) {
    out.columns.push_back({static_cast<int32_t>(i)});
  }
  out.skeleton = std::move(skeleton);
  return out;
}

void Append(Channel channel, const ColumnSource& column, MappedSkeleton* to) {
  to->skeleton.channels.push_back(channel);
  to->columns.push_back(column);
}

void MapRow(std::span<const ColumnSource> columns, std::span<const float> row,
            std::span<float> out) {
  for (size_t i = 0; i < columns.size(); ++i)
    out[i] = MapValue(columns[i], row);
}

absl::Status MapRows(MappedSkeleton mapped, Editing* editing) {
  if (!ChangesRows(mapped, editing->skeleton().channels.size())) {
    editing->clip->skeleton = std::move(mapped.skeleton);
    return absl::OkStatus();
  }
  const std::vector<ColumnSource> columns = std::move(mapped.columns);
  return RewriteRows(std::move(mapped.skeleton),
                     kValueWork * static_cast<int64_t>(columns.size()), editing,
                     [&](std::span<const float> row, std::span<float> out) {
                       MapRow(columns, row, out);
                     });
}

}  // namespace bvhmill
