#include "bvhmill/validate/motion/frame_time_rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

void Log(const MotionClip& clip, Severity severity, const std::string& reading,
         double near, IssueLog* log) {
  log->AddAs(severity, IssueCode::DATA_FRAME_TIME_ODD, {},
             {{"value", Short(clip.frame_time)},
              {"reading", reading},
              {"near", ShortRate(near)}});
}

}  // namespace

void LogFrameTime(const MotionClip& clip, IssueLog* log) {
  const double time = clip.frame_time;
  if (!HasRate(time)) return;
  const auto [near, difference] = NearestFrameRate(time);
  // Most clips need no words.
  const auto rate = [time] { return Short(1 / time) + " frames a second"; };
  // Poses that are no motion may stand as long as their author likes.
  const Severity severity = clip.facts->frames < kFewestMotionFrames
                                ? Severity::kHint
                                : Severity::kWarning;
  if (time >= clip[Threshold::DATA_FRAME_TIME_ODD_longest]) {
    return Log(clip, severity, rate() + ", too slow to show a motion", near,
               log);
  }
  if (time < clip[Threshold::DATA_FRAME_TIME_ODD_shortest]) {
    return Log(clip, severity, rate() + ", too fast for a capture", near, log);
  }
  if (time <= clip[Threshold::DATA_FRAME_TIME_ODD_short]) {
    return Log(clip, Severity::kHint, rate() + ", which is uncommon", near,
               log);
  }
  if (difference > clip[Threshold::DATA_FRAME_TIME_ODD_difference]) {
    return Log(
        clip, Severity::kHint,
        rate() + ", near to none in use; the nearest is " + ShortRate(near),
        near, log);
  }
  const double frames = difference * static_cast<double>(clip.facts->frames);
  if (frames > 1) {
    Log(clip, Severity::kHint,
        ShortRate(near) + " frames a second, but rounding adds up to " +
            Short(frames) + " frames",
        near, log);
  }
}

}  // namespace bvhmill
