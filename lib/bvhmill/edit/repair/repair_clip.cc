#include "bvhmill/edit/repair/repair_clip.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/held_memory.h"
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

// Bytes of the ranges of frames of a joint: those of its position, which may
// have grown to twice their number, and the union with those of its rotation.
// Ranges do not touch, so there are at most frames / 2 of them.
int64_t RangeBytes(const Repairs& repairs, int64_t frames) {
  const bool has_ranges = repairs.fill_gaps > 0 || repairs.replace_spikes;
  return has_ranges ? 2 * frames * static_cast<int64_t>(sizeof(FrameRun)) : 0;
}

// All frames of `a` and `b`, each of which is in order. Ranges that share a
// frame become one.
std::vector<FrameRun> Union(std::span<const FrameRun> a,
                            std::span<const FrameRun> b) {
  std::vector<FrameRun> all(a.size() + b.size());
  std::merge(
      a.begin(), a.end(), b.begin(), b.end(), all.begin(),
      [](const FrameRun& x, const FrameRun& y) { return x.begin < y.begin; });
  size_t count = 0;
  for (const FrameRun& range : all) {
    if (count > 0 && range.begin < all[count - 1].end) {
      all[count - 1].end = std::max(all[count - 1].end, range.end);
    } else {
      all[count++] = range;
    }
  }
  all.resize(count);
  return all;
}

absl::Status MakeRepairs(const Repairs& repairs, RepairedClip* repaired) {
  if (repairs.drop_repeated) {
    BVHMILL_RETURN_IF_ERROR(DropRepeats(repaired));
  }
  if (repairs.snap_rate) SnapFrameTime(repaired);
  if (repairs.fill_gaps > 0) {
    BVHMILL_RETURN_IF_ERROR(FillGaps(repairs.fill_gaps, repaired));
  }
  if (repairs.replace_spikes) BVHMILL_RETURN_IF_ERROR(ReplaceSpikes(repaired));
  return repairs.unwrap ? UnwrapAngles(repaired) : absl::OkStatus();
}

}  // namespace

void RepairedClip::Note(IssueCode of, const JointTrack& track,
                        std::vector<FrameRun> changed) {
  if (node != track.node || code != of) {
    LogNoted();
    code = of;
    node = track.node;
  }
  kinds += (kinds.empty() ? "" : " and ") + NameOf(track.kind);
  ranges = ranges.empty() ? std::move(changed) : Union(ranges, changed);
}

void RepairedClip::LogNoted() {
  if (node >= 0) {
    const Skeleton& skeleton = clip->skeleton;
    const auto gaps = static_cast<int64_t>(ranges.size());
    int64_t frames = 0;
    std::vector<int64_t> begins;
    for (const FrameRun& range : ranges) {
      frames += range.frames();
      const bool is_listed = begins.size() < kMostListedFrames;
      if (is_listed) begins.push_back(SourceFrame(range.begin));
    }
    IssueArgs args = {{"kind", kinds},
                      {"joint", Quote(DisplayName(skeleton, node))},
                      {"frames", std::to_string(frames)},
                      {"gaps", std::to_string(gaps)}};
    if (gaps > 1) args.emplace_back("at", FrameList(begins));
    log->Add(code,
             PlaceOf(skeleton, node, SourceFrame(ranges.front().begin),
                     SourceFrame(ranges.back().end - 1)),
             std::move(args), gaps);
  }
  node = -1;
  kinds.clear();
  ranges.clear();
}

absl::Status RepairClip(const Repairs& repairs, const Thresholds& thresholds,
                        Budget* budget, Clip* clip, IssueLog* log) {
  if (IsEmpty(repairs)) return absl::OkStatus();
  HeldMemory memory(budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(
      TrackBytes(clip->skeleton) + RangeBytes(repairs, clip->motion.frames)));
  RepairedClip repaired;
  repaired.clip = clip;
  repaired.tracks = TracksOf(clip->skeleton);
  repaired.log = log;
  repaired.thresholds = thresholds;
  repaired.budget = budget;
  const absl::Status status = MakeRepairs(repairs, &repaired);
  repaired.LogNoted();
  return status;
}

}  // namespace bvhmill
