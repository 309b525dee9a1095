#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/edit/repair/steps.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

// Fewer poses than this are no pattern.
constexpr int64_t kLeastPoses = 4;
// Below this difference the frame time is that of the rate already.
constexpr double kSameTime = 1e-12;

// With as many digits as tell the number.
std::string Shortest(double value) {
  std::array<char, 32> text = {};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "";
}

// The poses of a clip that repeats each of them `stride` times: frames
// `first`, `first + stride` and so on. The first pose may stand shorter.
struct Pattern {
  int64_t first = 0;
  int64_t stride = 1;
};

// None if some frames repeat and others that should repeat do not, or if there
// are too few poses.
std::optional<Pattern> PatternOf(const Clip& clip) {
  const int64_t frames = clip.motion.frames;
  // The frames that begin a new pose, but for frame 0.
  int64_t first = 0;
  int64_t stride = 0;
  int64_t last = 0;
  int64_t poses = 1;
  for (int64_t t = 1; t < frames; ++t) {
    if (RepeatsRow(clip, t)) continue;
    ++poses;
    if (first == 0) {
      first = t;
    } else if (stride == 0) {
      stride = t - last;
    } else if (t - last != stride) {
      return std::nullopt;
    }
    last = t;
  }
  const bool is_regular =
      stride > 1 && first <= stride && frames - last <= stride;
  if (!is_regular || poses < kLeastPoses) return std::nullopt;
  return Pattern{first, stride};
}

}  // namespace

RepeatedRows RepeatsOf(const Clip& clip, const Thresholds& thresholds) {
  RepeatedRows rows(thresholds, MotionFrameTime(clip.motion.frame_time));
  for (int64_t t = 0; t < clip.motion.frames; ++t) {
    rows.Add(t > 0 && RepeatsRow(clip, t));
  }
  rows.Finish();
  return rows;
}

// Frame 0 is kept for the first pose, which may stand for fewer frames than the
// others.
absl::Status DropRepeats(RepairedClip* repaired) {
  Motion& motion = repaired->clip->motion;
  const size_t width = repaired->clip->skeleton.channels.size();
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, motion.frames, 1, repaired->budget));
  }
  const std::optional<Pattern> pattern = PatternOf(*repaired->clip);
  if (!pattern) {
    const RepeatedRows rows = RepeatsOf(*repaired->clip, repaired->thresholds);
    if (rows.are_reported()) {
      repaired->log->Add(IssueCode::REPAIR_REPEATS_LEFT, {},
                         {{"frames", std::to_string(rows.repeats())}});
    }
    return absl::OkStatus();
  }
  repaired->stride = pattern->stride;
  // The frame of the source at which a full first pose would begin.
  repaired->first_frame = pattern->first - pattern->stride;
  int64_t kept = 1;
  for (int64_t t = pattern->first; t < motion.frames; t += pattern->stride) {
    const auto row = RowAt(*repaired->clip, t);
    std::copy(row.begin(), row.end(), RowAt(repaired->clip, kept++).begin());
  }
  const int64_t dropped = motion.frames - kept;
  motion.frames = kept;
  motion.values.resize(static_cast<size_t>(kept) * width);
  motion.frame_time *= static_cast<double>(pattern->stride);
  repaired->log->Add(IssueCode::REPAIR_FRAMES_DROPPED, {},
                     {{"frames", std::to_string(dropped)},
                      {"stride", std::to_string(pattern->stride)}});
  return absl::OkStatus();
}

void SnapFrameTime(RepairedClip* repaired) {
  Motion& motion = repaired->clip->motion;
  if (!HasRate(motion.frame_time)) return;
  const NearRate near = NearestFrameRate(motion.frame_time);
  const double most =
      repaired->thresholds[Threshold::DATA_FRAME_TIME_ODD_difference];
  if (near.difference > most || near.difference < kSameTime) return;
  const double from = motion.frame_time;
  motion.frame_time = 1 / near.frames_per_second;
  repaired->log->Add(
      IssueCode::REPAIR_FRAME_TIME, {},
      {{"from", Shortest(from)}, {"to", ShortRate(near.frames_per_second)}});
}

}  // namespace bvhmill
