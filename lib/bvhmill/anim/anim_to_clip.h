#pragma once

// Converts an .anim motion to a BVH clip on the skeleton of the avatar, in the
// axes and the unit of the viewer's import.

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimToClipOptions {
  // 0: the lowest rate from 20 to 120 at which every key is at a frame, or 30
  // if there is no such rate.
  double frames_per_second = 0;
  // Adds a first frame with the avatar at rest. The viewer takes it as the
  // reference pose and does not play it.
  bool reference_frame = true;
  // Includes all bones, also those that do not move.
  bool all_bones = false;
};

// Makes a clip of `motion`, in inches, Y up. The root has position channels;
// another joint has them only if it has position keys. At the frame of a key,
// the values are such that the viewer's import quantises them to the codes of
// the key. At other frames they are the values that the viewer plays.
//
// Joints that a BVH file cannot name to the viewer (collision volumes,
// attachment points of one word, unknown names) are left out and logged. A
// duration above 60 s is an error in the log, and the clip is then empty.
// INVALID_ARGUMENT if the rate is not within 0 to 240. A BVH file does not hold
// priorities, loop points and the rest of the header.
//
// Cost: about 150 ns for each joint and frame.
absl::Status AnimToClip(const AnimMotion& motion,
                        const AnimToClipOptions& options, Clip* clip,
                        IssueLog* log);

}  // namespace bvhmill
