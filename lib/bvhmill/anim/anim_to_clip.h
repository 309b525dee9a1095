#pragma once

// .anim to a BVH clip on the avatar's skeleton, in the axes and the unit of the
// viewer's import.

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimToClipOptions {
  // 0: the lowest rate of at least 20 by which every key stands at a frame, or
  // 30 if there is none up to 120.
  double frames_per_second = 0;
  // A first frame with the avatar at rest, which the viewer takes for the
  // reference and does not play.
  bool reference_frame = true;
  // All bones, also those that stand still.
  bool all_bones = false;
};

// Makes a clip of `motion`: inches, Y up. Joints that move get channels for
// positions only if they have such keys. Frames on which a key stands have
// values that the viewer's import quantises to the very same codes; others are
// what the viewer plays then.
//
// Joints that BVH cannot name to the viewer (collision volumes, attachment
// points of one word, unknown names) are left out and logged; a duration above
// 60 s is an error in the log, and the clip is then empty. INVALID_ARGUMENT for
// a rate that is not 0 to 240. Priorities, loop and the rest of the header are
// not in a BVH file.
//
// Cost: about 150 ns a joint and frame.
absl::Status AnimToClip(const AnimMotion& motion,
                        const AnimToClipOptions& options, Clip* clip,
                        IssueLog* log);

}  // namespace bvhmill
