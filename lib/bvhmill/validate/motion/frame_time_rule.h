#pragma once

// DATA_FRAME_TIME_ODD for frame times that are numbers above zero; the reader
// logs the others. Private to validate/motion/.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// Logs at most one issue: the frame time is far from those of all rates that
// are in use, or its rounding adds up to more than a frame. Requires the number
// of frames in the facts.
void LogFrameTime(const MotionClip& clip, IssueLog* log);

}  // namespace bvhmill
