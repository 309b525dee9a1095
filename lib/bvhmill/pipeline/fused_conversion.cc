#include "bvhmill/pipeline/fused_conversion.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/tile_reader.h"
#include "bvhmill/pipeline/costs.h"

namespace bvhmill {
namespace {

// However many frames a file says to have, sizes made of them do not overflow.
constexpr int64_t kMaxExpectedFrames = int64_t{1} << 31;

TileRows RowsOf(int64_t first, int64_t frames, std::span<const float> values) {
  TileRows rows;
  rows.first_frame = first;
  rows.frames = frames;
  rows.values = values;
  return rows;
}

}  // namespace

// The values and the poses of a tile, for each worker. A value takes two bytes
// of text at least. Frames without values do not come in tiles of text.
absl::Status FusedConversion::DrawTiles(const Skeleton& skeleton) {
  const auto width = static_cast<int64_t>(skeleton.channels.size());
  const int64_t values =
      std::min(static_cast<int64_t>(text_bytes_ / 2), kMaxTileValues) + width;
  BVHMILL_RETURN_IF_ERROR(
      budget_.Hold(workers_ * values * static_cast<int64_t>(sizeof(float))));
  const int64_t frames =
      width == 0 ? workspace_.stage.TileFrames() : values / width;
  return workspace_.stage.DrawBuffers(workers_, frames);
}

absl::Status FusedConversion::Begin(const ClipHeader& header) {
  BVHMILL_RETURN_IF_ERROR(DrawSkeleton(header.skeleton(), &budget_));
  const int64_t expected = std::min(header.declared_frames, kMaxExpectedFrames);
  compiled_ = workspace_.compiler.Compile(header.source, /*needs_plan=*/true,
                                          workspace_.stage.conventions());
  DescribeClip(*compiled_, expected, header.frame_time, &result_.info);
  EncodeContext context{&header.skeleton(), expected, header.frame_time};
  context.budget = &budget_;
  BVHMILL_RETURN_IF_ERROR(
      workspace_.stage.Begin(context, compiled_.get(), &receiver_, &result_));
  return DrawTiles(header.skeleton());
}

bool FusedConversion::OnHeader(const ClipHeader& header) {
  workspace_.samples.Begin(header.width());
  status_ = Begin(header);
  is_idle_ = !status_.ok();
  return budget_.failure().ok();
}

void FusedConversion::OnTile(int worker, int64_t frames,
                             std::span<const float> values) {
  if (is_idle_ || frames > workspace_.stage.MaxFrames()) return;
  workspace_.stage.Solve(RowsOf(0, frames, values),
                         &workspace_.tiles[static_cast<size_t>(worker)]);
}

bool FusedConversion::OnTileInOrder(int worker, int64_t first_frame,
                                    int64_t frames,
                                    std::span<const float> values) {
  workspace_.samples.Add(frames, values);
  taken_ += frames;
  if (is_idle_) return true;
  TileBuffers* buffers = &workspace_.tiles[static_cast<size_t>(worker)];
  status_ =
      frames > workspace_.stage.MaxFrames()
          ? AddInParts(first_frame, frames, values, buffers)
          : workspace_.stage.Add(RowsOf(first_frame, frames, values), buffers);
  is_idle_ = !status_.ok();
  return true;
}

// A tile whose poses are too many to be solved at once.
absl::Status FusedConversion::AddInParts(int64_t first_frame, int64_t frames,
                                         std::span<const float> values,
                                         TileBuffers* buffers) {
  const int64_t most = workspace_.stage.MaxFrames();
  const size_t width = values.size() / static_cast<size_t>(frames);
  for (int64_t done = 0; done < frames; done += most) {
    const int64_t count = std::min(most, frames - done);
    const TileRows rows =
        RowsOf(first_frame + done, count,
               values.subspan(static_cast<size_t>(done) * width,
                              static_cast<size_t>(count) * width));
    workspace_.stage.Solve(rows, buffers);
    BVHMILL_RETURN_IF_ERROR(workspace_.stage.Add(rows, buffers));
  }
  return absl::OkStatus();
}

bool FusedConversion::OnFrames(int64_t first_frame, int64_t frames,
                               std::span<const float> values) {
  OnTile(0, frames, values);
  return OnTileInOrder(0, first_frame, frames, values);
}

absl::Status FusedConversion::Finish(int64_t frames) {
  // Frames without values do not come by themselves.
  while (!is_idle_ && taken_ < frames) {
    OnFrames(taken_, std::min(workspace_.stage.TileFrames(), frames - taken_),
             {});
  }
  if (!status_.ok()) return std::exchange(status_, absl::OkStatus());
  return workspace_.stage.End(frames, &workspace_.tiles[0]);
}

}  // namespace bvhmill
