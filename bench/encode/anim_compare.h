#pragma once

// The two profiles of .anim against each other on one clip: what the viewer's
// import is off, and what the profile `best` takes for no more.

#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill::bench {

struct AnimComparison {
  // False: the viewer refuses the clip, or nothing in it moves.
  bool fought = false;
  // Bytes of the viewer's file, without joints that the avatar has not.
  double viewer_bytes = 0;
  // The error of that file at its worst frame, as the viewer plays it.
  double degrees = 0;
  double millimetres = 0;
  // Bytes of `best` with those bounds for all joints, and with the bounds of
  // each joint, where the viewer's file is off by less in most of them.
  double best_bytes = 0;
  double best_bytes_by_joint = 0;
  // The fraction of the viewer's errors at which `best` takes equal bytes.
  double error_part = 0;
};

// The frame of reference, which the viewer does not play, is taken off for
// `best`, too. Joints must have names that the viewer knows. At most the first
// 59 s count.
AnimComparison CompareProfiles(Clip clip);

// `clip` with the names of the avatar, by the map that knows most of its
// joints.
Clip WithAvatarNames(const Clip& clip);

// Metrics encode.anim.best.bytes_ratio_at_viewer_error and the like: over the
// real takes if BVHMILL_DATA points at some, else over `made`.
void MeasureComparisons(const Clip& made);

}  // namespace bvhmill::bench
