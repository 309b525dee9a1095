// Faults of single frames: spikes, jumps, cuts, ends.

#include <cmath>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

Expected At(const char* code, int64_t frame, int32_t joint) {
  return {{code}, frame, frame, {joint}};
}

// The joint is elsewhere for `frames` frames.
Injected SpikeOf(Site* site, int64_t frames, double degrees) {
  const auto joints = MovingJoints(*site->clip);
  if (joints.empty() || Frames(*site->clip) < 30) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t frame = MiddleFrame(site, frames);
  const auto axis = static_cast<int>(Between(site, 0, 2));
  for (int64_t i = 0; i < frames; ++i) {
    Turn(site->clip, frame + i, joint, axis, degrees);
  }
  Expected expected = At("DATA_SPIKE", frame, joint);
  expected.last_frame = frame + frames - 1;
  return expected;
}

Injected Spike(Site* site) {
  return SpikeOf(site, 1, site->Pick(70.0, 30.0, 15.0));
}
Injected Spike2(Site* site) {
  return SpikeOf(site, 2, site->Pick(90.0, 50.0, 30.0));
}
Injected Spike3(Site* site) {
  return SpikeOf(site, 3, site->Pick(90.0, 50.0, 30.0));
}

// The inverse rotation for one frame, as some solvers write it.
Injected InverseSpike(Site* site) {
  const double least = site->Pick(60.0, 35.0, 20.0);
  std::vector<int32_t> joints;
  if (Frames(*site->clip) < 30) return std::nullopt;
  const int64_t frame = MiddleFrame(site);
  for (const int32_t joint : MovingJoints(*site->clip)) {
    const Mat3 m = RotationAt(*site->clip, frame, joint);
    if (AngleBetween(m, samples::Transposed(m)) >= least) {
      joints.push_back(joint);
    }
  }
  if (joints.empty()) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  SetRotation(site->clip, frame, joint,
              samples::Transposed(RotationAt(*site->clip, frame, joint)));
  return At("DATA_SPIKE", frame, joint);
}

Vec3 SomeDirection(Site* site) {
  const auto angle = static_cast<double>(Between(site, 0, 359));
  return samples::RotateY(angle) * Vec3{0.8, 0.6, 0};
}

Injected PositionSpikeOf(Site* site, int64_t frames, double reaches) {
  const int32_t root = MovingRoot(*site->clip);
  if (root < 0 || Frames(*site->clip) < 30) return std::nullopt;
  const int64_t frame = MiddleFrame(site, frames);
  const Vec3 by = reaches * ReachOf(*site->clip) * SomeDirection(site);
  for (int64_t i = 0; i < frames; ++i) Move(site->clip, frame + i, root, by);
  Expected expected = At("DATA_SPIKE", frame, root);
  expected.last_frame = frame + frames - 1;
  return expected;
}

Injected PositionSpike(Site* site) {
  return PositionSpikeOf(site, 1, site->Pick(0.4, 0.12, 0.05));
}
Injected PositionSpike3(Site* site) {
  return PositionSpikeOf(site, 3, site->Pick(0.5, 0.2, 0.08));
}

Injected Jump(Site* site) {
  const auto joints = MovingJoints(*site->clip);
  if (joints.empty() || Frames(*site->clip) < 30) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t frame = MiddleFrame(site);
  const auto axis = static_cast<int>(Between(site, 0, 2));
  for (int64_t i = frame; i < Frames(*site->clip); ++i) {
    Turn(site->clip, i, joint, axis, site->Pick(130.0, 60.0, 30.0));
  }
  return At("DATA_JUMP", frame, joint);
}

Injected PositionJump(Site* site) {
  const int32_t root = MovingRoot(*site->clip);
  if (root < 0 || Frames(*site->clip) < 30) return std::nullopt;
  const int64_t frame = MiddleFrame(site);
  const Vec3 by =
      site->Pick(0.6, 0.2, 0.08) * ReachOf(*site->clip) * SomeDirection(site);
  for (int64_t i = frame; i < Frames(*site->clip); ++i) {
    Move(site->clip, i, root, by);
  }
  return At("DATA_JUMP", frame, root);
}

// Degrees that all joints turn from frame `a` to frame `b`, on average.
double MeanAngle(const Clip& clip, int64_t a, int64_t b,
                 const std::vector<int32_t>& joints) {
  double sum = 0;
  for (const int32_t joint : joints) {
    sum += AngleBetween(RotationAt(clip, a, joint), RotationAt(clip, b, joint));
  }
  return sum / static_cast<double>(joints.size());
}

// Frames are lost where the body moves most.
Injected LostFrames(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip);
  const int64_t lost = FramesIn(clip, site->Pick(0.4, 0.25, 0.16));
  if (joints.size() < 8 || Frames(clip) < 5 * lost + 30) return std::nullopt;
  int64_t best = 0;
  double most = 0;
  for (int64_t frame = Frames(clip) / 5; frame + lost < Frames(clip) * 4 / 5;
       frame += 3) {
    const double turned = MeanAngle(clip, frame - 1, frame + lost, joints);
    if (turned > most) best = frame;
    most = std::max(most, turned);
  }
  if (most < site->Pick(12, 7, 5)) return std::nullopt;
  RemoveRows(&clip, best, lost);
  Expected expected = {{"DATA_CUT"}, best, best, {}};
  return expected;
}

// Two takes of one skeleton in one file.
Injected JoinedTakes(Site* site) {
  Clip& clip = *site->clip;
  if (site->other == nullptr) return std::nullopt;
  const Clip& other = *site->other;
  const int64_t frames = std::min(Frames(clip), Frames(other));
  const int64_t first = frames / 2;
  if (frames < 40) return std::nullopt;
  // The same place, so that only the pose changes; far away if blatant.
  const int32_t root = MovingRoot(clip);
  const auto joints = MovingJoints(clip);
  if (root < 0 || joints.size() < 8) return std::nullopt;
  Vec3 by = PositionAt(clip, first, root) - PositionAt(other, first, root);
  by.y = 0;
  if (site->strength == Strength::kBlatant) by.x += ReachOf(clip);
  for (int64_t frame = first; frame < frames; ++frame) {
    for (size_t column = 0; column < Width(clip); ++column) {
      ValueAt(&clip, frame, static_cast<int64_t>(column)) =
          ValueAt(other, frame, static_cast<int64_t>(column));
    }
    Move(&clip, frame, root, by);
  }
  if (MeanAngle(clip, first - 1, first, joints) < site->Pick(5, 4, 3)) {
    return std::nullopt;
  }
  return Expected{{"DATA_CUT"}, first, first, {}};
}

// One frame becomes the rest pose, or every joint of it turns by `degrees`.
void SetApart(Clip* clip, int64_t frame, double degrees) {
  for (const int32_t joint : TurningJoints(*clip)) {
    if (degrees > 0) {
      Turn(clip, frame, joint, 0, degrees);
    } else {
      SetRotation(clip, frame, joint, Mat3());
    }
  }
}

Injected FirstFrameApart(Site* site) {
  if (MovingJoints(*site->clip).size() < 8 || Frames(*site->clip) < 30) {
    return std::nullopt;
  }
  SetApart(site->clip, 0, site->Pick(0.0, 20.0, 6.0));
  return Expected{{"DATA_FIRST_FRAME_APART"}, 0, 1, {}};
}

Injected LastFrameApart(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip);
  if (joints.size() < 8 || Frames(clip) < 30) return std::nullopt;
  const int64_t last = Frames(clip) - 1;
  if (site->strength == Strength::kBlatant) {
    SetApart(&clip, last, 0);
  } else {
    Turn(&clip, last, AnyOf(site, joints), 0, site->Pick(0.0, 60.0, 35.0));
  }
  return Expected{{"DATA_LAST_FRAME_APART"}, last - 1, last, {}};
}

constexpr FaultKind kFaults[] = {
    {"spike", Spike},
    {"spike_two_frames", Spike2},
    {"spike_three_frames", Spike3},
    {"spike_inverse", InverseSpike},
    {"spike_position", PositionSpike},
    {"spike_position_three_frames", PositionSpike3},
    {"jump", Jump},
    {"jump_position", PositionJump},
    {"lost_frames", LostFrames},
    {"joined_takes", JoinedTakes},
    {"first_frame_apart", FirstFrameApart},
    {"last_frame_apart", LastFrameApart},
};

}  // namespace

std::span<const FaultKind> EventFaults() { return kFaults; }

}  // namespace bvhmill::faults
