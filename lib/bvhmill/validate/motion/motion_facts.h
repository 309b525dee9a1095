#pragma once

// Facts about the motion of a clip that several rules need.

#include <cstdint>
#include <span>
#include <vector>

namespace bvhmill {

struct MotionFacts {
  // The frame time in seconds. 1/30 for rules that depend on the rate, if the
  // clip states none within (0, 0.2).
  double dt = 1.0 / 30;
  // The longest way from a root to a leaf (ReachOf of clip/reach.h), in the
  // unit of the clip. Independent of the pose. 0.75 to 0.85 of the height of
  // most bodies. 0 if the size of the figure is not known: rules that compare
  // with it are silent then.
  double reach = 0;
  // The joint that the caller states as body root; -1 if it states none.
  int32_t stated_root = -1;

  // --- Written by the motion rules (motion/motion_rules.h), which come first.

  int64_t frames = 0;
  // Rows that have a value that is not finite. All rules but DATA_NOT_FINITE
  // skip a clip that has any.
  int64_t non_finite_rows = 0;
  // Many rows repeat the row before, so that each new pose is a step. Rules
  // about single steps are silent.
  bool has_many_repeats = false;
  // The first or the last frame is no part of the motion: it stands apart from
  // its neighbour. Rules of positions, floor and feet must not count it.
  bool first_apart = false;
  bool last_apart = false;
  // Frames at which many joints step at once (DATA_CUT), ascending.
  std::vector<int64_t> cuts;

  // Position channels of joints hold places in the world: their length is no
  // bone. CheckSamples writes this and the next one.
  bool has_global_positions = false;
  // The rest pose and the height of the root hint that Z is up.
  bool seems_z_up = false;
  // The body root of the first ROOT (skeletons/body_root.h): the stated one, if
  // it is a joint of the trunk.
  int32_t body_root = 0;
  // For each channel, 1 if its values differ. Valid until the
  // next clip is checked.
  std::span<const uint8_t> moving_columns;

  // The frames that belong to the motion: first to last, both included.
  int64_t first_frame() const { return first_apart ? 1 : 0; }
  int64_t last_frame() const { return frames - (last_apart ? 2 : 1); }
};

}  // namespace bvhmill
