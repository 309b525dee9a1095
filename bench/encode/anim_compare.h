#pragma once

// Compares the two profiles of .anim on one clip: the error of the viewer's
// import, and the bytes that the profile `best` needs for no larger error.

#include <string_view>

#include "bvhmill/clip/clip.h"

namespace bvhmill::bench {

struct AnimComparison {
  // True if both profiles made a file. False if the viewer refuses the clip, or
  // nothing in it moves.
  bool is_compared = false;
  // Bytes of the viewer's file, without joints that the avatar does not have.
  double viewer_bytes = 0;
  // The error of that file at its worst frame, as the viewer plays it.
  double degrees = 0;
  double millimetres = 0;
  // Bytes of `best`: with these errors as the bounds of all joints; and with
  // the error of each joint in the viewer's file as the bound of that joint,
  // which is smaller for most.
  double best_bytes = 0;
  double best_bytes_by_joint = 0;
  // The fraction of the viewer's errors at which `best` needs no more bytes;
  // searched from 0.01 to 4.
  double error_ratio_at_viewer_bytes = 0;
};

// Compares at most the first 59 s. The reference frame, which the viewer does
// not play, is dropped for `best`, too. Requires joint names that the viewer
// knows.
AnimComparison CompareProfiles(Clip clip);

// Renames the joints of `clip` to those of the avatar, by the map that knows
// most of them.
Clip WithAvatarNames(const Clip& clip);

// Metrics encode.anim.best.bytes_ratio_at_viewer_error and the like: over the
// real takes if BVHMILL_DATA points at some, else over `made`.
void MeasureComparisons(const Clip& made);

}  // namespace bvhmill::bench
