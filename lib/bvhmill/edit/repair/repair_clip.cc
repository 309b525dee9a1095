#include "bvhmill/edit/repair/repair_clip.h"

#include "bvhmill/base/status.h"
#include "bvhmill/edit/repair/steps.h"

namespace bvhmill {
namespace {

// Bytes of the tracks of a clip.
int64_t TrackBytes(const Skeleton& skeleton) {
  return static_cast<int64_t>(2 * skeleton.nodes.size() * sizeof(JointTrack) +
                              skeleton.channels.size() * sizeof(size_t));
}

}  // namespace

absl::Status RepairClip(const Repairs& repairs, Budget* budget, Clip* clip,
                        IssueLog* log) {
  if (IsEmpty(repairs)) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, TrackBytes(clip->skeleton)));
  RepairedClip repaired{clip, TracksOf(clip->skeleton), log, budget};
  if (repairs.drop_repeated_frames) {
    BVHMILL_RETURN_IF_ERROR(DropRepeats(&repaired));
  }
  if (repairs.snap_frame_time) SnapFrameTime(&repaired);
  if (repairs.fill_gap_frames > 0) {
    BVHMILL_RETURN_IF_ERROR(FillGaps(repairs.fill_gap_frames, &repaired));
  }
  if (repairs.replace_spikes) {
    BVHMILL_RETURN_IF_ERROR(ReplaceSpikes(&repaired));
  }
  return repairs.unwrap_angles ? UnwrapAngles(&repaired) : absl::OkStatus();
}

}  // namespace bvhmill
