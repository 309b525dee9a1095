#pragma once

// The steps of a repair. Each has the contract of RepairClip. Private to
// edit/repair/.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/repair/joint_track.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// A clip that is repaired, and how its frames are numbered in the source.
struct RepairedClip {
  Clip* clip = nullptr;
  std::vector<JointTrack> tracks;
  IssueLog* log = nullptr;
  Budget* budget = nullptr;
  int64_t first_frame = 0;
  int64_t stride = 1;

  int64_t SourceFrame(int64_t frame) const {
    return std::max<int64_t>(first_frame + stride * frame, 0);
  }
};

// REPAIR_FRAMES_DROPPED. Sets `first_frame` and `stride`.
absl::Status DropRepeats(RepairedClip* repaired);
// REPAIR_FRAME_TIME.
void SnapFrameTime(RepairedClip* repaired);
// REPAIR_GAP_FILLED.
absl::Status FillGaps(int64_t most_frames, RepairedClip* repaired);
// REPAIR_SPIKE_REPLACED.
absl::Status ReplaceSpikes(RepairedClip* repaired);
// REPAIR_UNWRAPPED.
absl::Status UnwrapAngles(RepairedClip* repaired);

}  // namespace bvhmill
