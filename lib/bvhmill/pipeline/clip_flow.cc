#include "bvhmill/pipeline/clip_flow.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

// However many frames a file says to have, sizes made of them do not overflow.
constexpr int64_t kMostExpectedFrames = int64_t{1} << 31;

TileRows RowsOf(int64_t first, int64_t frames, std::span<const float> values) {
  TileRows rows;
  rows.first_frame = first;
  rows.frames = frames;
  rows.values = values;
  return rows;
}

}  // namespace

bool ClipFlow::OnHeads(const ClipHeads& heads) {
  const int64_t expected = std::min(heads.declared_frames, kMostExpectedFrames);
  MakeRig(heads.skeleton, heads.rig, &workspace_.rig);
  DescribeClip(workspace_.rig, expected, heads.frame_time, &result_.info);
  workspace_.samples.Begin(
      static_cast<int64_t>(heads.skeleton.channels.size()));
  EncodeContext context{&heads.skeleton, expected, heads.frame_time};
  context.rig = heads.rig;
  status_ = workspace_.stage.Begin(context, &receiver_, &result_);
  is_idle_ = !status_.ok();
  return true;
}

void ClipFlow::OnTile(int worker, int64_t frames,
                      std::span<const float> values) {
  if (is_idle_ || frames > workspace_.stage.MostFrames()) return;
  workspace_.stage.Solve(RowsOf(0, frames, values),
                         &workspace_.tiles[static_cast<size_t>(worker)]);
}

bool ClipFlow::OnTurn(int worker, int64_t first_frame, int64_t frames,
                      std::span<const float> values) {
  workspace_.samples.Add(frames, values);
  taken_ += frames;
  if (is_idle_) return true;
  TileBuffers* buffers = &workspace_.tiles[static_cast<size_t>(worker)];
  status_ = frames > workspace_.stage.MostFrames()
                ? AddInParts(first_frame, frames, values, buffers)
                : Add(RowsOf(first_frame, frames, values), buffers);
  is_idle_ = !status_.ok();
  return true;
}

absl::Status ClipFlow::Add(const TileRows& rows, TileBuffers* buffers) {
  if (IsCancelled(cancel_)) {
    return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  }
  return workspace_.stage.Add(rows, buffers);
}

// A tile whose poses are too many to be solved at once.
absl::Status ClipFlow::AddInParts(int64_t first_frame, int64_t frames,
                                  std::span<const float> values,
                                  TileBuffers* buffers) {
  const int64_t most = workspace_.stage.MostFrames();
  const size_t width = values.size() / static_cast<size_t>(frames);
  for (int64_t done = 0; done < frames; done += most) {
    const int64_t count = std::min(most, frames - done);
    const TileRows rows =
        RowsOf(first_frame + done, count,
               values.subspan(static_cast<size_t>(done) * width,
                              static_cast<size_t>(count) * width));
    workspace_.stage.Solve(rows, buffers);
    BVHMILL_RETURN_IF_ERROR(Add(rows, buffers));
  }
  return absl::OkStatus();
}

bool ClipFlow::OnFrames(int64_t first_frame, int64_t frames,
                        std::span<const float> values) {
  OnTile(0, frames, values);
  return OnTurn(0, first_frame, frames, values);
}

absl::Status ClipFlow::Finish(int64_t frames) {
  // Frames without values do not come by themselves.
  while (!is_idle_ && taken_ < frames) {
    OnFrames(taken_, std::min(workspace_.stage.TileFrames(), frames - taken_),
             {});
  }
  if (!status_.ok()) return std::exchange(status_, absl::OkStatus());
  return workspace_.stage.End(frames, &workspace_.tiles[0]);
}

}  // namespace bvhmill
