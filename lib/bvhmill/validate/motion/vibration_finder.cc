#include "bvhmill/validate/motion/vibration_finder.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// Samples a second, about. At slower rates each frame is a sample: the rule of
// jitter looks at those.
constexpr double kSamples = 30;
constexpr double kLeastBetween = 1.5;
// Samples of larger strides begin before the frames that a block keeps.
constexpr int64_t kMostBetween = int64_t{kStepLead} / 2;
// Room for rounding.
constexpr double kLess = 0.999;

// The way from `a` to `b`. Of two opposite quaternions the nearer one counts.
Quat<double> WayTo(const Quat<double>& a, const Quat<double>& b,
                   TrackKind kind) {
  const bool is_opposite = kind == TrackKind::kRotation && Dot(a, b) < 0;
  const double s = is_opposite ? -1 : 1;
  return {s * b.x - a.x, s * b.y - a.y, s * b.z - a.z, s * b.w - a.w};
}

}  // namespace

void VibrationFinder::Begin(const MotionClip& clip, int64_t window_frames) {
  clip_ = &clip;
  window_frames_ = window_frames;
  fewest_ = std::max(clip[Threshold::DATA_JITTER_reversals], 1.0);
  const double reach = clip.facts->reach;
  const size_t tracks = reach > 0 ? clip.tracks.size() : clip.rotations;
  vibrations_.assign(tracks, {});
  max_steps_.assign(tracks, 0);
  const double frames = 1 / (clip.facts->dt * kSamples);
  const bool is_judged = window_frames > 0 && frames >= kLeastBetween;
  stride_ = 0;
  if (!is_judged) return;
  stride_ = static_cast<int64_t>(
      std::min(std::round(frames), static_cast<double>(kMostBetween)));
  // A way of several steps has one that is as long as their mean. A rotation
  // is at most the sum of the changes of its channels.
  const auto limits = [this](double step, double channels, double unit) {
    const auto stride = static_cast<double>(stride_);
    return Limits{step, static_cast<float>(channels * kLess),
                  static_cast<float>(step / (stride * stride) * kLess), unit};
  };
  const double degrees = clip[Threshold::DATA_JITTER_vibration_degrees];
  rotations_ = limits(StepOf(degrees), degrees * degrees / 3, kDegrees);
  const double way = reach * clip[Threshold::DATA_JITTER_vibration_reach];
  positions_ = limits(way * way, way * way, 0.5 / reach);
}

void VibrationFinder::CloseWindow(Vibration* vibration) const {
  if (vibration->count >= fewest_) {
    if (vibration->noisy++ == 0) vibration->first = vibration->window;
    vibration->last = vibration->window;
    vibration->all_count += vibration->count;
    vibration->all_sizes += vibration->size;
    if (vibration->count > vibration->most_count) {
      vibration->most_count = vibration->count;
      vibration->most_window = vibration->window;
    }
  }
  vibration->count = 0;
  vibration->size = 0;
}

// The channels turn back at the sample of index `i`.
bool VibrationFinder::MayTurnBack(const MotionBlock& block, size_t track,
                                  size_t i) const {
  const auto stride = static_cast<size_t>(stride_);
  float dot = 0;
  float before = 0;
  float after = 0;
  for (const TrackColumn& column : clip_->ColumnsOf(clip_->tracks[track])) {
    const float* v = block.ValuesOf(column.column) + i;
    const float a = v[0] - *(v - stride);
    const float b = v[stride] - v[0];
    dot += a * b;
    before += a * a;
    after += b * b;
  }
  return (dot < 0) & (std::min(before, after) >= LimitsOf(track).channels);
}

// Counts the reversal at frame `t`, if there is one.
void VibrationFinder::Count(const MotionBlock& block, size_t track, int64_t t) {
  const size_t i = block.IndexOf(t);
  const auto stride = static_cast<size_t>(stride_);
  const MotionTrack& which = clip_->tracks[track];
  const Limits& limits = LimitsOf(track);
  const Quat<double> here = PoseAt(*clip_, block, which, i);
  const Quat<double> back =
      WayTo(here, PoseAt(*clip_, block, which, i - stride), which.kind);
  const Quat<double> on =
      WayTo(here, PoseAt(*clip_, block, which, i + stride), which.kind);
  if (Dot(back, on) <= 0 ||
      std::min(Dot(back, back), Dot(on, on)) < limits.step) {
    return;
  }
  Vibration& vibration = vibrations_[track];
  const auto window = static_cast<int32_t>(t / window_frames_);
  if (window != vibration.window) CloseWindow(&vibration);
  vibration.window = window;
  ++vibration.count;
  const Quat<double> both = {back.x + on.x, back.y + on.y, back.z + on.z,
                             back.w + on.w};
  vibration.size +=
      static_cast<float>(limits.kink_unit * std::sqrt(Dot(both, both)));
}

void VibrationFinder::Add(const MotionBlock& block, size_t track) {
  if (stride_ == 0) return;
  const float most = std::max(block.max_steps[track], max_steps_[track]);
  max_steps_[track] = block.max_steps[track];
  if (most < LimitsOf(track).max_step) return;
  // The first and the last frame may be no part of the motion.
  const int64_t first = std::max(block.BeginFor(stride_), 1 + stride_);
  const int64_t begin = (first + stride_ - 1) / stride_ * stride_;
  const int64_t end =
      block.is_last ? block.end() - 1 - stride_ : block.EndFor(stride_);
  for (int64_t t = begin; t < end; t += stride_) {
    if (MayTurnBack(block, track, block.IndexOf(t))) Count(block, track, t);
  }
}

void VibrationFinder::Finish() {
  for (Vibration& vibration : vibrations_) CloseWindow(&vibration);
}

}  // namespace bvhmill
