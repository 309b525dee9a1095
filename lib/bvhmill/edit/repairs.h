#pragma once

// The repairs that can be made to a motion: plain data. Each is off by default.
// A repair changes what it is asked for, and nothing else: all other values
// stay as they are, bit for bit.

#include <cstdint>

#include "absl/status/status.h"

namespace bvhmill {

// Repairs are made in the order of the fields, before all other edits.
struct Repairs {
  // If all frames but every n-th repeat the frame before (DATA_REPEATED_FRAMES
  // with a stride of n), they are dropped, and the frame time is n times as
  // long. The first and the last pose may stand for fewer frames. Clips with
  // fewer than four poses, or with another pattern of repeats, stay as they
  // are.
  bool drop_repeated_frames = false;
  // A frame time near that of a common rate becomes that of the rate: within
  // 1.1 %, the threshold DATA_FRAME_TIME_ODD.difference. See NearestFrameRate.
  bool snap_frame_time = false;
  // Values of a rotation or a position that are no numbers are interpolated
  // (DATA_NOT_FINITE), if at most this many frames in a row lack some of them,
  // and both neighbours have all. Values of scale channels stay. 0: none.
  int32_t fill_gap_frames = 0;
  // A joint that is elsewhere for one frame (DATA_SPIKE) gets the pose halfway
  // between the frames before and after. Clips with fewer than
  // kFewestMotionFrames frames, or in which many frames repeat the one before,
  // stay as they are.
  bool replace_spikes = false;
  // Where angles jump by a full turn and the rotation does not (the wraps of
  // DATA_EULER_FLIP), they go on beyond 180 degrees instead.
  bool unwrap_angles = false;
};

// True if the repairs leave every clip unchanged.
bool IsEmpty(const Repairs& repairs);

// INVALID_ARGUMENT "options.edits.repairs.field: why" for an invalid value.
absl::Status CheckRepairs(const Repairs& repairs);

}  // namespace bvhmill
