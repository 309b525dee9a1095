// Rotations that lack digits, rotations in radians, rows that are exchanged,
// positions that are noisy for a moment, joints that tremble, spikes that were
// smoothed, rest poses that fade into the motion, gaps that were filled, and
// poses that the root carries.

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

void ChangeRotations(Clip* clip, const std::function<double(double)>& change) {
  const auto& channels = clip->skeleton.channels;
  for (size_t i = 0; i < clip->motion.values.size(); ++i) {
    if (!IsRotation(channels[i % channels.size()])) continue;
    float& value = clip->motion.values[i];
    value = static_cast<float>(change(double{value}));
  }
}

// All angles are rounded.
Injected Rounded(Site* site) {
  if (MovingJoints(*site->clip).size() < 3 || Frames(*site->clip) < 20) {
    return std::nullopt;
  }
  const double step = site->Pick(5.0, 1.0, 0.1);
  ChangeRotations(site->clip, [step](double angle) {
    return std::round(angle / step) * step;
  });
  return Expected{{"DATA_QUANTIZED"}, {}, {}, {}};
}

// All angles are written in radians.
Injected Radians(Site* site) {
  // Smaller movements are no evidence.
  if (MovingJoints(*site->clip, 20).size() < 8) return std::nullopt;
  ChangeRotations(site->clip, [](double angle) {
    return std::remainder(angle, 360) * 0.017453292519943295;
  });
  return Expected{{"DATA_RADIANS"}, {}, {}, {}};
}

// Rows `apart` frames from each other are exchanged while the body moves.
Injected Exchanged(Site* site, int64_t apart) {
  Clip& clip = *site->clip;
  if (Frames(clip) < 60) return std::nullopt;
  const auto joints = MovingJoints(clip, site->Pick(40.0, 30.0, 20.0));
  if (joints.size() < 8) return std::nullopt;
  const int64_t frame = MiddleFrame(site, 10 + apart);
  const auto width = static_cast<int64_t>(Width(clip));
  for (int64_t c = 0; c < width; ++c) {
    std::swap(ValueAt(&clip, frame, c), ValueAt(&clip, frame + apart, c));
  }
  return Expected{{"DATA_ROWS_EXCHANGED"}, frame, frame + apart, {}};
}

Injected ExchangedRows(Site* site) { return Exchanged(site, 1); }
Injected ExchangedRowsApart(Site* site) {
  return Exchanged(site, Between(site, 2, 12));
}

// A spike of one frame that was smoothed: the joint makes half of the turn in
// the frames before and after it.
Injected SmoothedSpike(Site* site) {
  const auto joints = MovingJoints(*site->clip);
  if (joints.empty() || Frames(*site->clip) < 30) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t frame = MiddleFrame(site, 3);
  const auto axis = static_cast<int>(Between(site, 0, 2));
  const double degrees = site->Pick(60.0, 40.0, 25.0);
  for (const auto& [at, share] :
       {std::pair{0, 0.5}, std::pair{1, 1.0}, std::pair{2, 0.5}}) {
    Turn(site->clip, frame + at, joint, axis, share * degrees);
  }
  return Expected{{"DATA_SPIKE"}, frame, frame + 2, {joint}};
}

// White noise on the position of the root.
Injected RootBurst(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = MovingRoot(clip);
  const int64_t count = FramesIn(clip, 0.7);
  if (clip.motion.frame_time > 1 / 29.0 || root < 0) return std::nullopt;
  if (Frames(clip) < FramesIn(clip, 2)) return std::nullopt;
  const int64_t first = MiddleFrame(site, count);
  const double most = ReachOf(clip) * site->Pick(0.06, 0.04, 0.02);
  const auto noise = [&] {
    return most * static_cast<double>(Between(site, -1000, 1000)) / 1000;
  };
  for (int64_t frame = first; frame < first + count; ++frame) {
    const double x = noise();
    const double y = noise();
    Move(&clip, frame, root, {x, y, noise()});
  }
  return Expected{{"DATA_JITTER"}, first, first + count, {root}};
}

// A joint trembles ten times a second.
Injected Tremor(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const double dt = clip.motion.frame_time;
  if (dt > 1 / 59.0 || joints.empty()) return std::nullopt;
  const int64_t count = FramesIn(clip, 1.5);
  if (Frames(clip) < FramesIn(clip, 4)) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int axis = static_cast<int>(Between(site, 0, 2));
  const int64_t first = MiddleFrame(site, count);
  const double degrees = site->Pick(10.0, 7.0, 5.0);
  constexpr double kTurns = 20 * std::numbers::pi;
  for (int64_t i = 0; i < count; ++i) {
    const double angle = kTurns * dt * static_cast<double>(i);
    Turn(&clip, first + i, joint, axis, degrees * std::sin(angle));
  }
  return Expected{{"DATA_JITTER"}, first, first + count, {joint}};
}

// The first rows lead in equal steps from a pose in which all joints are turned
// to the motion.
Injected FadeIn(Site* site) {
  Clip& clip = *site->clip;
  if (MovingJoints(clip).size() < 8 || Frames(clip) < 30) return std::nullopt;
  const int64_t frames = Between(site, 2, 4);
  const double degrees = site->Pick(60.0, 40.0, 25.0);
  for (int64_t t = 0; t < frames; ++t) {
    const double left =
        static_cast<double>(frames - t) / static_cast<double>(frames);
    for (const int32_t joint : TurningJoints(clip)) {
      Turn(&clip, t, joint, 0, left * degrees);
    }
  }
  return Expected{{"DATA_FIRST_FRAME_APART"}, 0, frames, {}};
}

// The frames of a gap in the middle of the clip; it has no frames if the clip
// is too short.
int64_t GapFrames(Site* site) {
  const Clip& clip = *site->clip;
  const int64_t frames = FramesIn(clip, site->Pick(2.0, 1.0, 0.6));
  const bool fits = frames >= 8 && Frames(clip) >= 3 * frames;
  return fits && IsLive(clip) && MovingJoints(clip).size() >= 8 ? frames : 0;
}

// A gap was filled by lines.
Injected FilledGap(Site* site) {
  Clip& clip = *site->clip;
  const int64_t frames = GapFrames(site);
  if (frames == 0) return std::nullopt;
  const int64_t first = MiddleFrame(site, frames);
  for (int64_t c = 0; std::cmp_less(c, Width(clip)); ++c) {
    const float from = ValueAt(clip, first, c);
    const float by = ValueAt(clip, first + frames, c) - from;
    for (int64_t t = 1; t < frames && std::abs(by) < 180; ++t) {
      const auto share = static_cast<float>(t) / static_cast<float>(frames);
      ValueAt(&clip, first + t, c) = from + share * by;
    }
  }
  return Expected{{"DATA_INTERPOLATED"}, first, first + frames, {}};
}

// The root goes on, and all other joints stand still.
Injected CarriedPose(Site* site) {
  Clip& clip = *site->clip;
  const int64_t frames = GapFrames(site);
  if (frames == 0) return std::nullopt;
  const int64_t first = MiddleFrame(site, frames);
  const int64_t root = clip.skeleton.nodes[0].channel_count;
  for (int64_t t = 1; t <= frames; ++t) {
    for (int64_t c = root; std::cmp_less(c, Width(clip)); ++c) {
      ValueAt(&clip, first + t, c) = ValueAt(clip, first, c);
    }
  }
  return Expected{{"DATA_FROZEN_FRAMES"}, first, first, {}};
}

constexpr FaultKind kFaults[] = {
    {"rounded_angles", Rounded},
    {"radians", Radians},
    {"exchanged_rows", ExchangedRows},
    {"jitter_root_burst", RootBurst},
    {"tremor", Tremor},
    {"exchanged_rows_apart", ExchangedRowsApart},
    {"smoothed_spike", SmoothedSpike},
    {"first_frames_fade", FadeIn},
    {"gap_filled_by_lines", FilledGap},
    {"pose_carried_by_root", CarriedPose},
};

}  // namespace

std::span<const FaultKind> ValueFaults() { return kFaults; }

}  // namespace bvhmill::faults
