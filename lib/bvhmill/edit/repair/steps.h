#pragma once

// The steps of a repair. Each has the contract of RepairClip. Private to
// edit/repair/.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/repair/joint_track.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/repeated_rows.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {

// The frames from `begin` to `end` - 1.
struct FrameRun {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t frames() const { return end - begin; }
};

// A clip that is being repaired, and the numbers of its frames in the source.
struct RepairedClip {
  Clip* clip = nullptr;
  std::vector<JointTrack> tracks;
  IssueLog* log = nullptr;
  Thresholds thresholds;
  Budget* budget = nullptr;
  // Frame t of the clip is frame first_frame + stride * t of the source; frame
  // 0 always is frame 0. first_frame may be negative.
  int64_t first_frame = 0;
  int64_t stride = 1;

  // The newest changes: their code, joint and kinds of channels. They are
  // logged when changes of another joint come, since the log keeps one issue
  // for a code and a joint.
  IssueCode code = IssueCode::REPAIR_UNWRAPPED;
  int32_t node = -1;
  std::string kinds;
  // Their frames, in order; no two ranges overlap.
  std::vector<FrameRun> ranges;

  // Adds changes of `track` in the frames `changed`. These ranges are in order,
  // and no two overlap.
  void Note(IssueCode of, const JointTrack& track,
            std::vector<FrameRun> changed);
  // Logs the changes that are noted.
  void LogNoted();

  int64_t SourceFrame(int64_t frame) const {
    return std::max<int64_t>(first_frame + stride * frame, 0);
  }
};

// Adds all rows of `clip`: what DATA_REPEATED_FRAMES says about it.
RepeatedRows RepeatsOf(const Clip& clip, const Thresholds& thresholds);

// REPAIR_FRAMES_DROPPED, REPAIR_REPEATS_LEFT. Sets `first_frame` and `stride`.
absl::Status DropRepeats(RepairedClip* repaired);
// REPAIR_FRAME_TIME.
void SnapFrameTime(RepairedClip* repaired);
// REPAIR_GAP_FILLED, REPAIR_GAP_LEFT.
absl::Status FillGaps(int64_t max_frames, RepairedClip* repaired);
// REPAIR_SPIKE_REPLACED.
absl::Status ReplaceSpikes(RepairedClip* repaired);
// REPAIR_UNWRAPPED.
absl::Status UnwrapAngles(RepairedClip* repaired);

}  // namespace bvhmill
