// Turns of one joint: half a turn for one frame, a turn all the way round, wild
// noise, a jump that is spread over frames, and a limit at which the joint
// stops.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

// One Euler angle is half a turn off.
Injected HalfTurnSpike(Site* site) {
  const auto joints = MovingJoints(*site->clip);
  if (joints.empty() || Frames(*site->clip) < 30) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t frame = MiddleFrame(site);
  const Node& node = site->clip->skeleton.nodes[static_cast<size_t>(joint)];
  const int64_t column =
      node.first_channel + node.channel_count - 1 - Between(site, 0, 2);
  ValueAt(site->clip, frame, column) += site->Pick(180.0F, 179.0F, 178.0F);
  return Expected{{"DATA_SPIKE"}, frame, frame, {joint}};
}

// From -1 to 1.
double Share(Site* site) {
  return static_cast<double>(Between(site, -1000, 1000)) / 1000;
}

// White noise on one joint, so large that single steps look like spikes.
Injected WildJitter(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  if (clip.motion.frame_time > 1 / 29.0 || joints.empty()) return std::nullopt;
  if (Frames(clip) < FramesIn(clip, 4)) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const double degrees = site->Pick(40.0, 25.0, 15.0);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    for (int axis = 0; axis < 3; ++axis) {
      Turn(&clip, frame, joint, axis, degrees * Share(site));
    }
  }
  return Expected{{"DATA_JITTER"}, 0, Frames(clip) - 1, {joint}};
}

// An angle that wraps was interpolated: the joint turns once round within some
// frames.
Injected FilteredWrap(Site* site) {
  Clip& clip = *site->clip;
  std::vector<int32_t> joints = MovingJoints(clip);
  std::erase_if(joints, [&](int32_t joint) {
    return clip.skeleton.nodes[static_cast<size_t>(joint)].parent < 0;
  });
  const double seconds = site->Pick(0.13, 0.2, 0.24);
  const int64_t count = std::max<int64_t>(3, FramesIn(clip, seconds));
  if (joints.empty() || clip.motion.frame_time > 0.0415) return std::nullopt;
  if (Frames(clip) < 40 + count) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, count);
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(joint)];
  const int64_t column = node.first_channel + node.channel_count - 1;
  for (int64_t i = first; i < Frames(clip); ++i) {
    const int64_t steps = std::min(i - first + 1, count);
    ValueAt(&clip, i, column) +=
        360.0F * static_cast<float>(steps) / static_cast<float>(count);
  }
  return Expected{{"DATA_SPIN"}, first, first + count, {joint}};
}

// A jump that a filter has spread over two frames.
Injected SpreadJump(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip);
  if (joints.empty() || Frames(clip) < 40) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, 10);
  double usual = 0;
  for (int64_t frame = first - 4; frame < first + 6; ++frame) {
    usual = std::max(usual, StepAt(clip, frame, joint));
  }
  const double half = std::max(10.0, 8 * usual + 3) * site->Pick(4, 2, 1);
  if (half > 80) return std::nullopt;
  for (int64_t frame = first; frame < Frames(clip); ++frame) {
    Turn(&clip, frame, joint, 0, frame == first ? half : 2 * half);
  }
  return Expected{{"DATA_JUMP"}, first, first + 1, {joint}};
}

// The joint stops whenever an angle is beyond a limit.
Injected Clamped(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip, 20);
  if (joints.size() < 8 || Frames(clip) < FramesIn(clip, 3)) {
    return std::nullopt;
  }
  const int32_t joint = AnyOf(site, joints);
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(joint)];
  const int64_t column = node.first_channel + node.channel_count - 1;
  std::vector<float> values;
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    values.push_back(ValueAt(clip, frame, column));
  }
  std::sort(values.begin(), values.end());
  const double share = site->Pick(0.45, 0.6, 0.75);
  const float limit =
      values[static_cast<size_t>(share * static_cast<double>(values.size()))];
  int64_t run = 0;
  int64_t longest = 0;
  int64_t first = 0;
  const Clip before = clip;
  for (int64_t frame = 1; frame < Frames(clip); ++frame) {
    const bool is_held = ValueAt(before, frame, column) > limit;
    run = is_held ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      first = frame - run;
    }
    for (int64_t c = node.first_channel;
         is_held && c < node.first_channel + node.channel_count; ++c) {
      ValueAt(&clip, frame, c) = ValueAt(clip, frame - 1, c);
    }
  }
  if (longest < FramesIn(clip, 0.7)) return std::nullopt;
  return Expected{{"DATA_FROZEN_JOINT"}, first, first + longest, {joint}};
}

constexpr FaultKind kFaults[] = {
    {"spike_half_turn", HalfTurnSpike}, {"jitter_wild", WildJitter},
    {"filtered_wrap", FilteredWrap},    {"jump_spread", SpreadJump},
    {"clamped_joint", Clamped},
};

}  // namespace

std::span<const FaultKind> TurnFaults() { return kFaults; }

}  // namespace bvhmill::faults
