// Faults of the header, the skeleton and the clip as a whole.

#include <cmath>
#include <string>
#include <utility>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

Expected WholeClip(const char* code) { return {{code}, {}, {}, {}}; }

double Seconds(const Clip& clip) {
  return static_cast<double>(Frames(clip)) * clip.motion.frame_time;
}

// The frame time is too long, so the motion plays too slowly.
Injected SlowTempo(Site* site) {
  Clip& clip = *site->clip;
  const double factor = site->Pick(8.0, 5.0, 4.0);
  if (Frames(clip) < 60 || clip.motion.frame_time * factor >= 0.19 ||
      MovingJoints(clip, 10).size() < 6) {
    return std::nullopt;
  }
  clip.motion.frame_time *= factor;
  return WholeClip("DATA_TEMPO_ODD");
}

// A quarter of the frame time. It can be told only where no camera is as fast.
Injected FastTempo(Site* site) {
  Clip& clip = *site->clip;
  const double factor = site->Pick(16, 8, 4);
  const double frame_time = clip.motion.frame_time / factor;
  if (frame_time > 0.0021) return std::nullopt;
  clip.motion.frame_time = frame_time;
  return WholeClip("DATA_FRAME_TIME_ODD");
}

Injected OddFrameTime(Site* site) {
  if (Frames(*site->clip) < 2) return std::nullopt;
  site->clip->motion.frame_time = site->Pick(1.0, 0.0005, 0.029167);
  return WholeClip("DATA_FRAME_TIME_ODD");
}

// Lengths of some bones change.
Injected StretchedBones(Site* site) {
  Clip& clip = *site->clip;
  std::vector<int32_t> joints;
  for (size_t i = 0; i < clip.skeleton.nodes.size(); ++i) {
    const Node& node = clip.skeleton.nodes[i];
    // Below the trunk: a joint whose parent and its parent have a parent.
    if (node.kind != NodeKind::kJoint || node.channel_count < 6) continue;
    const Vec3 offset = {node.offset[0], node.offset[1], node.offset[2]};
    const Node& parent = clip.skeleton.nodes[static_cast<size_t>(node.parent)];
    if (parent.parent >= 0 && samples::Length(offset) > 0.1 * ReachOf(clip)) {
      joints.push_back(static_cast<int32_t>(i));
    }
  }
  if (joints.empty()) return std::nullopt;
  const int32_t joint = AnyOf(site, joints);
  const double part = site->Pick(0.2, 0.08, 0.04);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    const double seconds = static_cast<double>(frame) * clip.motion.frame_time;
    Move(&clip, frame, joint,
         part * std::sin(4 * seconds) * PositionAt(clip, frame, joint));
  }
  Expected expected = WholeClip("DATA_BONE_LENGTH");
  expected.joints = {joint};
  return expected;
}

// A bone is longer than the one of the other side.
Injected UnevenBones(Site* site) {
  Clip& clip = *site->clip;
  std::vector<std::pair<int32_t, int32_t>> pairs;
  const auto& nodes = clip.skeleton.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::string name = nodes[i].name;
    const size_t at = name.find("Left");
    if (at == std::string::npos) continue;
    name.replace(at, 4, "Right");
    for (size_t k = 0; k < nodes.size(); ++k) {
      const Vec3 offset = {nodes[k].offset[0], nodes[k].offset[1],
                           nodes[k].offset[2]};
      if (nodes[k].name == name &&
          samples::Length(offset) > 0.08 * ReachOf(clip)) {
        pairs.emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(k));
      }
    }
  }
  if (pairs.empty()) return std::nullopt;
  const auto last = static_cast<int64_t>(pairs.size()) - 1;
  const auto [left, right] = pairs[static_cast<size_t>(Between(site, 0, last))];
  auto& offset = clip.skeleton.nodes[static_cast<size_t>(left)].offset;
  for (float& x : offset) x *= site->Pick(2.0F, 1.4F, 1.2F);
  Expected expected = WholeClip("DATA_ASYMMETRY");
  expected.joints = {left, right};
  return expected;
}

Injected ScaleRoot(double factor, Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = MovingRoot(clip);
  if (root != 0) return std::nullopt;
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    Move(&clip, frame, root, (factor - 1) * PositionAt(clip, frame, root));
  }
  return WholeClip("DATA_ROOT_SCALE");
}

// Positions of the root are in a unit that is too small for the skeleton.
Injected RootScale(Site* site) {
  return ScaleRoot(site->Pick(100.0, 39.37, 10.0), site);
}

// They are in a unit that is too large.
Injected SmallRootScale(Site* site) {
  return ScaleRoot(site->Pick(0.01, 0.0254, 0.1), site);
}

// No travel.
Injected RootConstant(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = MovingRoot(clip);
  if (root < 0) return std::nullopt;
  // Not by Move, whose sums are rounded.
  for (const int64_t column : PositionColumns(clip, root)) {
    for (int64_t frame = 1; frame < Frames(clip); ++frame) {
      ValueAt(&clip, frame, column) = ValueAt(clip, 0, column);
    }
  }
  // Other joints with positions may move.
  if (MovingRoot(clip) >= 0) return std::nullopt;
  return WholeClip("DATA_ROOT_CONSTANT");
}

// The last pose is the first one: the clip runs forth and back.
Injected Loop(Site* site) {
  Clip& clip = *site->clip;
  if (Seconds(clip) < 2) return std::nullopt;
  const int64_t frames = Frames(clip);
  const int64_t missing = site->Pick<int64_t>(0, 0, 1);
  for (int64_t frame = frames / 2; frame < frames; ++frame) {
    CopyRow(&clip, frames - 1 - frame, frame);
  }
  RemoveRows(&clip, frames - missing, missing);
  return WholeClip("DATA_LOOP");
}

constexpr FaultKind kFaults[] = {
    {"tempo_slow", SlowTempo},
    {"tempo_fast", FastTempo},
    {"frame_time_odd", OddFrameTime},
    {"stretched_bones", StretchedBones},
    {"uneven_bones", UnevenBones},
    {"root_scale", RootScale},
    {"root_constant", RootConstant},
    {"loop", Loop},
    {"root_scale_small", SmallRootScale},
};

}  // namespace

std::span<const FaultKind> ClipFaults() { return kFaults; }

}  // namespace bvhmill::faults
