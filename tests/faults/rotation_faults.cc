// Faults that one joint has for some time: noise, a lost joint, spins, angles
// that leap where the rotation does not.

#include <cmath>
#include <utility>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

// From -1 to 1.
double Noise(Site* site) {
  return static_cast<double>(Between(site, -1000, 1000)) / 1000;
}

// White noise on one joint.
Injected Jitter(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const double seconds = site->Pick(60.0, 3.5, 2.5);
  if (clip.motion.frame_time > 1 / 29.0 || joints.empty()) return std::nullopt;
  const int64_t count = std::min(Frames(clip), FramesIn(clip, seconds));
  if (Frames(clip) < FramesIn(clip, 4)) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = Between(site, 0, Frames(clip) - count);
  const double degrees = site->Pick(5.0, 3.0, 2.0);
  for (int64_t frame = first; frame < first + count; ++frame) {
    for (int axis = 0; axis < 3; ++axis) {
      Turn(&clip, frame, joint, axis, degrees * Noise(site));
    }
  }
  return Expected{{"DATA_JITTER"}, first, first + count, {joint}};
}

// The rotation stands still while the body moves.
Injected FrozenJoint(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip, 8);
  const int64_t count =
      std::max<int64_t>(10, FramesIn(clip, site->Pick(2.0, 1.0, 0.6)));
  if (joints.size() < 4 || Frames(clip) < 2 * count) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, count);
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(joint)];
  for (int64_t i = 1; i <= count; ++i) {
    for (int32_t c = 0; c < node.channel_count; ++c) {
      const int64_t column = node.first_channel + c;
      const auto channel = clip.skeleton.channels[static_cast<size_t>(column)];
      if (!IsRotation(channel)) continue;
      ValueAt(&clip, first + i, column) = ValueAt(clip, first, column);
    }
  }
  return Expected{{"DATA_FROZEN_JOINT"}, first, first + 1, {joint}};
}

// A joint turns once or twice round and is then where it was.
Injected Spin(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = MovingJoints(clip);
  if (joints.empty() || clip.motion.frame_time > 0.045) return std::nullopt;
  const double speed = site->Pick(5500.0, 4500.0, 3600.0);
  const double step = std::min(140.0, speed * clip.motion.frame_time);
  const double whole = step * 4 > 360 ? 720 : 360;
  const auto count = static_cast<int64_t>(std::floor(whole / step));
  if (Frames(clip) < 4 * count) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, count);
  for (int64_t i = 1; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    Turn(&clip, first + i, joint, 1, whole * share);
  }
  return Expected{{"DATA_SPIN"}, first, first + count, {joint}};
}

// One channel is a turn further for some frames.
Injected Wrap(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const int64_t count = site->Pick(Frames(clip), int64_t{10}, int64_t{1});
  if (joints.empty() || Frames(clip) < 40) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, 11);
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(joint)];
  const int64_t column = node.first_channel + node.channel_count - 1;
  for (int64_t i = first; i < std::min(Frames(clip), first + count); ++i) {
    ValueAt(&clip, i, column) += 360;
  }
  return Expected{{"DATA_EULER_FLIP"}, first, first, {joint}};
}

// The columns of the rotations of a joint, outermost first.
std::vector<int64_t> RotationColumns(const Clip& clip, int32_t joint) {
  std::vector<int64_t> columns;
  const Node& node = clip.skeleton.nodes[static_cast<size_t>(joint)];
  for (int64_t c = node.first_channel;
       c < node.first_channel + node.channel_count; ++c) {
    if (IsRotation(clip.skeleton.channels[static_cast<size_t>(c)])) {
      columns.push_back(c);
    }
  }
  return columns;
}

// The other triple of angles, for the same rotations.
Injected Flip(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const int64_t count = site->Pick(Frames(clip), int64_t{10}, int64_t{1});
  if (joints.empty() || Frames(clip) < 40) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const int64_t first = MiddleFrame(site, 11);
  const auto columns = RotationColumns(clip, joint);
  for (int64_t i = first; i < std::min(Frames(clip), first + count); ++i) {
    ValueAt(&clip, i, columns[0]) += 180;
    ValueAt(&clip, i, columns[1]) = 180 - ValueAt(clip, i, columns[1]);
    ValueAt(&clip, i, columns[2]) -= 180;
  }
  return Expected{{"DATA_EULER_FLIP"}, first, first, {joint}};
}

// The middle angle stands near 90 degrees, and the outer ones swing against
// each other.
Injected GimbalSwing(Site* site) {
  Clip& clip = *site->clip;
  const auto joints = TurningJoints(clip);
  const int64_t count = FramesIn(clip, 2);
  if (joints.size() < 2 || Frames(clip) < 2 * count) return std::nullopt;
  // Not the root, whose rotation turns the figure over.
  const int32_t joint = joints[static_cast<size_t>(
      Between(site, 1, static_cast<int64_t>(joints.size()) - 1))];
  const int64_t first = MiddleFrame(site, count);
  const auto columns = RotationColumns(clip, joint);
  const double swing = site->Pick(1500.0, 900.0, 500.0);
  // In one order of axes the sum of the outer angles counts, in the other one
  // their difference.
  const int axes[2] = {
      AxisOf(clip.skeleton.channels[static_cast<size_t>(columns[0])]),
      AxisOf(clip.skeleton.channels[static_cast<size_t>(columns[1])])};
  const double sign = (axes[0] + 1) % 3 == axes[1] ? -1 : 1;
  for (int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    const double angle = swing / 4 * std::sin(6.283185307 * share);
    ValueAt(&clip, first + i, columns[0]) = static_cast<float>(angle);
    ValueAt(&clip, first + i, columns[1]) =
        static_cast<float>(88.5 + std::sin(9 * share));
    ValueAt(&clip, first + i, columns[2]) =
        static_cast<float>(sign * angle + 3 * share);
  }
  return Expected{{"DATA_GIMBAL_NEAR"}, first, first + count, {joint}};
}

constexpr FaultKind kFaults[] = {
    {"jitter", Jitter},     {"frozen_joint", FrozenJoint},
    {"spin", Spin},         {"angle_a_turn_further", Wrap},
    {"other_triple", Flip}, {"gimbal_swing", GimbalSwing},
};

}  // namespace

std::span<const FaultKind> RotationFaults() { return kFaults; }

}  // namespace bvhmill::faults
