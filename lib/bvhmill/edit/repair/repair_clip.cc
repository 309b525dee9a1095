#include "bvhmill/edit/repair/repair_clip.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/repair/steps.h"

namespace bvhmill {
namespace {

// Bytes of the tracks of a clip.
int64_t TrackBytes(const Skeleton& skeleton) {
  // A vector that grows takes twice its size for a while; each track has a list
  // of columns. Steps hold a row of their own.
  constexpr int64_t kListBytes = 32;
  return static_cast<int64_t>(
      skeleton.nodes.size() * 2 * (2 * sizeof(JointTrack) + kListBytes) +
      skeleton.channels.size() * (2 * sizeof(size_t) + sizeof(float)));
}

absl::Status MakeRepairs(const Repairs& repairs, RepairedClip* repaired) {
  if (repairs.drop_repeated_frames) {
    BVHMILL_RETURN_IF_ERROR(DropRepeats(repaired));
  }
  if (repairs.snap_frame_time) SnapFrameTime(repaired);
  if (repairs.fill_gap_frames > 0) {
    BVHMILL_RETURN_IF_ERROR(FillGaps(repairs.fill_gap_frames, repaired));
  }
  if (repairs.replace_spikes) BVHMILL_RETURN_IF_ERROR(ReplaceSpikes(repaired));
  return repairs.unwrap_angles ? UnwrapAngles(repaired) : absl::OkStatus();
}

}  // namespace

void RepairedClip::Note(IssueCode of, const JointTrack& track, int64_t from,
                        int64_t to, int64_t count, int64_t places) {
  if (node != track.node || code != of) {
    LogNoted();
    code = of;
    node = track.node;
    first = from;
    last = to;
  }
  kinds += (kinds.empty() ? "" : " and ") + NameOf(track.kind);
  first = std::min(first, from);
  last = std::max(last, to);
  frames += count;
  events += places;
}

void RepairedClip::LogNoted() {
  if (node >= 0) {
    const Skeleton& skeleton = clip->skeleton;
    log->Add(code,
             PlaceOf(skeleton, node, SourceFrame(first), SourceFrame(last)),
             {{"kind", kinds},
              {"joint", Quote(DisplayName(skeleton, node))},
              {"frames", std::to_string(frames)},
              {"gaps", std::to_string(events)}},
             events);
  }
  node = -1;
  kinds.clear();
  frames = events = 0;
}

absl::Status RepairClip(const Repairs& repairs, Budget* budget, Clip* clip,
                        IssueLog* log) {
  if (IsEmpty(repairs)) return absl::OkStatus();
  const int64_t bytes = TrackBytes(clip->skeleton);
  BVHMILL_RETURN_IF_ERROR(HoldFrom(budget, bytes));
  absl::Status status;
  {
    RepairedClip repaired;
    repaired.clip = clip;
    repaired.tracks = TracksOf(clip->skeleton);
    repaired.log = log;
    repaired.budget = budget;
    status = MakeRepairs(repairs, &repaired);
    repaired.LogNoted();
  }
  ReturnTo(budget, bytes);
  return status;
}

}  // namespace bvhmill
