#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/status.h"
#include "bvhmill/edit/repair/steps.h"
#include "bvhmill/edit/sample_pose.h"

namespace bvhmill {
namespace {

// Units of work for a value that is looked at, and for a joint whose pose is
// blended.
constexpr int64_t kGapWork = 2;
constexpr int64_t kBlendWork = 400;

// Fills the gaps of one track.
class GapFiller {
 public:
  GapFiller(const JointTrack& track, Clip* clip, std::span<float> blended)
      : track_(track), clip_(*clip), blended_(blended) {}

  // Fills `gap`, which has frames with all values on both sides.
  void Fill(const FrameRun& gap) {
    const Node& node = clip_.skeleton.nodes[static_cast<size_t>(track_.node)];
    const auto before = RowAt(&clip_, gap.begin - 1);
    const auto after = RowAt(&clip_, gap.end);
    const double intervals = static_cast<double>(gap.end - gap.begin + 1);
    for (int64_t t = gap.begin; t < gap.end; ++t) {
      const auto row = RowAt(&clip_, t);
      BlendNode(clip_.skeleton, node, before, after,
                static_cast<double>(t - gap.begin + 1) / intervals, WayOf(row),
                blended_);
      for (const size_t column : track_.columns) {
        if (!std::isfinite(row[column])) row[column] = blended_[column];
      }
    }
  }

 private:
  // A joint that has some of its angles keeps them, so the others take their
  // own way.
  Interpolation WayOf(std::span<const float> row) const {
    for (const size_t column : track_.columns) {
      if (std::isfinite(row[column])) return Interpolation::kLerp;
    }
    return Interpolation::kSlerp;
  }

  const JointTrack& track_;
  Clip& clip_;
  std::span<float> blended_;
};

// Runs of frames in which `track` lacks values.
std::vector<FrameRun> GapsOf(const Clip& clip, const JointTrack& track) {
  std::vector<FrameRun> gaps;
  int64_t begin = 0;
  for (int64_t t = 0; t <= clip.motion.frames; ++t) {
    if (t < clip.motion.frames && !IsFinite(track, RowAt(clip, t))) continue;
    if (t > begin) gaps.push_back({begin, t});
    begin = t + 1;
  }
  return gaps;
}

// Fills the gaps of one joint. `blended` has room for a row. Sets `*has_left`
// if a gap is too long, or at an end of the clip.
absl::Status FillTrack(const JointTrack& track, int64_t max_frames,
                       std::span<float> blended, RepairedClip* repaired,
                       bool* has_left) {
  Clip& clip = *repaired->clip;
  BVHMILL_RETURN_IF_ERROR(
      DrawWork(track, clip.motion.frames, kGapWork, repaired->budget));
  std::vector<FrameRun> gaps = GapsOf(clip, track);
  const auto is_left = [&](const FrameRun& gap) {
    return gap.begin == 0 || gap.end == clip.motion.frames ||
           gap.frames() > max_frames;
  };
  *has_left |= std::erase_if(gaps, is_left) > 0;
  int64_t frames = 0;
  for (const FrameRun& gap : gaps) frames += gap.frames();
  BVHMILL_RETURN_IF_ERROR(
      DrawWork(track, frames, kBlendWork, repaired->budget));
  GapFiller filler(track, &clip, blended);
  for (const FrameRun& gap : gaps) filler.Fill(gap);
  if (frames > 0) {
    repaired->Note(IssueCode::REPAIR_GAP_FILLED, track, std::move(gaps));
  }
  return absl::OkStatus();
}

// Notes the gaps that are not filled.
absl::Status NoteLeftGaps(RepairedClip* repaired) {
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(DrawWork(track, repaired->clip->motion.frames,
                                     kGapWork, repaired->budget));
    std::vector<FrameRun> gaps = GapsOf(*repaired->clip, track);
    if (gaps.empty()) continue;
    repaired->Note(IssueCode::REPAIR_GAP_LEFT, track, std::move(gaps));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FillGaps(int64_t max_frames, RepairedClip* repaired) {
  const Clip& clip = *repaired->clip;
  // Every other frame may be a gap, and a list that grows takes three times its
  // size.
  HeldMemory memory(repaired->budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(2 * clip.motion.frames *
                                      static_cast<int64_t>(sizeof(FrameRun))));
  std::vector<float> blended(clip.skeleton.channels.size());
  bool has_left = false;
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(
        FillTrack(track, max_frames, blended, repaired, &has_left));
  }
  return has_left ? NoteLeftGaps(repaired) : absl::OkStatus();
}

}  // namespace bvhmill
