#include "bvhmill/pipeline/clip_flow.h"

#include <algorithm>
#include <utility>

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
  DescribeClip(heads.skeleton, expected, heads.frame_time, &result_.info);
  workspace_.samples.Begin(
      static_cast<int64_t>(heads.skeleton.channels.size()));
  status_ = workspace_.stage.Begin(
      {&heads.skeleton, expected, heads.frame_time}, &receiver_, &result_);
  is_idle_ = !status_.ok();
  return true;
}

void ClipFlow::OnTile(int worker, int64_t frames,
                      std::span<const float> values) {
  if (is_idle_) return;
  workspace_.stage.Solve(RowsOf(0, frames, values),
                         &workspace_.tiles[static_cast<size_t>(worker)]);
}

bool ClipFlow::OnTurn(int worker, int64_t first_frame, int64_t frames,
                      std::span<const float> values) {
  workspace_.samples.Add(frames, values);
  taken_ += frames;
  if (is_idle_) return true;
  status_ =
      workspace_.stage.Add(RowsOf(first_frame, frames, values),
                           &workspace_.tiles[static_cast<size_t>(worker)]);
  is_idle_ = !status_.ok();
  return true;
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
