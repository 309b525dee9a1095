// Faults of the feet, the floor and the axes. All of them concern the figure
// as a whole and are made by moving or turning its root.

#include <cmath>
#include <numbers>

#include "tests/faults/clip_tools.h"

namespace bvhmill::faults {
namespace {

using Injected = std::optional<Expected>;

Expected WholeClip(const char* code) { return {{code}, {}, {}, {}}; }

// The root, if the figure hangs on it and it moves; else -1.
int32_t CarryingRoot(const Clip& clip) {
  return Frames(clip) >= 90 && MovingRoot(clip) == 0 ? 0 : -1;
}

// The whole figure glides over the floor.
Injected Glide(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = CarryingRoot(clip);
  if (root < 0) return std::nullopt;
  const double speed = site->Pick(1.0, 0.6, 0.4) * ReachOf(clip);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    const double seconds = static_cast<double>(frame) * clip.motion.frame_time;
    // Forth and back, since a clip may be long.
    const double way = 4 * std::fabs(seconds / 4 - std::round(seconds / 4));
    Move(&clip, frame, root, {way * speed, 0, 0});
  }
  return WholeClip("DATA_FOOT_SKATE");
}

// The figure walks on the spot.
Injected WalkInPlace(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = CarryingRoot(clip);
  if (root < 0) return std::nullopt;
  const Vec3 travel =
      PositionAt(clip, Frames(clip) - 1, root) - PositionAt(clip, 0, root);
  const double seconds =
      static_cast<double>(Frames(clip)) * clip.motion.frame_time;
  if (std::hypot(travel.x, travel.z) < 0.6 * seconds * ReachOf(clip)) {
    return std::nullopt;
  }
  const double share = site->Pick(1.0, 0.7, 0.5);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    const Vec3 way = PositionAt(clip, frame, root) - PositionAt(clip, 0, root);
    Move(&clip, frame, root, {-share * way.x, 0, -share * way.z});
  }
  return WholeClip("DATA_FOOT_SKATE");
}

// The feet sink in and come up again.
Injected Sink(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = CarryingRoot(clip);
  if (root < 0) return std::nullopt;
  const double depth = site->Pick(0.3, 0.15, 0.09) * ReachOf(clip);
  const auto count = std::max<int64_t>(6, Frames(clip) / 14);
  const int64_t first = MiddleFrame(site, count);
  for (int64_t i = 0; i < count; ++i) {
    const double share =
        static_cast<double>(i + 1) / static_cast<double>(count + 1);
    const double sine = std::sin(std::numbers::pi * share);
    Move(&clip, first + i, root, {0, -depth * sine * sine, 0});
  }
  return Expected{{"DATA_BELOW_FLOOR"}, first, first + count, {}};
}

Injected Drift(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = CarryingRoot(clip);
  const double seconds =
      static_cast<double>(Frames(clip)) * clip.motion.frame_time;
  if (root < 0 || seconds < 3) return std::nullopt;
  const double rise = site->Pick(0.5, 0.2, 0.1) * ReachOf(clip);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    const double share =
        static_cast<double>(frame) / static_cast<double>(Frames(clip));
    Move(&clip, frame, root, {0, rise * share, 0});
  }
  return WholeClip("DATA_FLOOR_DRIFT");
}

Injected Offset(Site* site) {
  Clip& clip = *site->clip;
  const int32_t root = CarryingRoot(clip);
  if (root < 0) return std::nullopt;
  const double up = site->Pick(-0.55, 0.4, -0.2) * ReachOf(clip);
  for (int64_t frame = 0; frame < Frames(clip); ++frame) {
    Move(&clip, frame, root, {0, up, 0});
  }
  return WholeClip("DATA_FLOOR_OFFSET");
}

// Turns the figure and its way about an axis of the world.
bool TurnWorld(Clip* clip, const Mat3& turn) {
  const int32_t root = CarryingRoot(*clip);
  const auto joints = TurningJoints(*clip);
  if (root != 0 || joints.empty() || joints[0] != 0) return false;
  for (int64_t frame = 0; frame < Frames(*clip); ++frame) {
    const Vec3 at = PositionAt(*clip, frame, 0);
    Move(clip, frame, 0, turn * at - at);
    SetRotation(clip, frame, 0, turn * RotationAt(*clip, frame, 0));
  }
  return true;
}

Injected WrongUpAxis(Site* site) {
  const double degrees = site->Pick(90.0, -90.0, 70.0);
  if (!TurnWorld(site->clip, samples::RotateX(degrees))) return std::nullopt;
  return WholeClip("DATA_UP_AXIS_GUESS");
}

Injected SidewaysUp(Site* site) {
  const double degrees = site->Pick(90.0, -90.0, 70.0);
  if (!TurnWorld(site->clip, samples::RotateZ(degrees))) return std::nullopt;
  return WholeClip("DATA_UP_AXIS_GUESS");
}

Injected UpsideDown(Site* site) {
  const double degrees = site->Pick(180.0, 180.0, 160.0);
  if (!TurnWorld(site->clip, samples::RotateX(degrees))) return std::nullopt;
  return WholeClip("DATA_UP_AXIS_GUESS");
}

constexpr FaultKind kFaults[] = {
    {"feet_glide", Glide},    {"walk_in_place", WalkInPlace},
    {"feet_sink", Sink},      {"floor_drift", Drift},
    {"floor_offset", Offset}, {"z_up", WrongUpAxis},
    {"x_up", SidewaysUp},     {"upside_down", UpsideDown},
};

}  // namespace

std::span<const FaultKind> FloorFaults() { return kFaults; }

}  // namespace bvhmill::faults
