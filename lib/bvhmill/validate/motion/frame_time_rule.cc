#include "bvhmill/validate/motion/frame_time_rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/short_number.h"

namespace bvhmill {
namespace {

// The rates of cameras, capture systems, displays and films.
constexpr double kRates[] = {
    10,         12,  12.5, 15,         20,  24 / 1.001,  24,          25,
    30 / 1.001, 30,  40,   48 / 1.001, 48,  50,          60 / 1.001,  60,
    72,         75,  80,   90,         96,  100,         120 / 1.001, 120,
    125,        144, 150,  180,        200, 240 / 1.001, 240,         250,
    300,        360, 400,  480,        500, 1000};

// The share by which the frame time differs from that of a rate.
double Difference(double frame_time, double rate) {
  return std::abs(frame_time * rate - 1);
}

double NearestRate(double frame_time) {
  return *std::min_element(
      std::begin(kRates), std::end(kRates), [&](double a, double b) {
        return Difference(frame_time, a) < Difference(frame_time, b);
      });
}

void Log(const MotionClip& clip, Severity severity, const std::string& reading,
         double near, IssueLog* log) {
  log->AddAs(severity, IssueCode::DATA_FRAME_TIME_ODD, {},
             {{"value", Short(clip.frame_time)},
              {"reading", reading},
              {"near", Short(near)}});
}

}  // namespace

void LogFrameTime(const MotionClip& clip, IssueLog* log) {
  const double time = clip.frame_time;
  if (!HasRate(time)) return;
  const double near = NearestRate(time);
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
  const double difference = Difference(time, near);
  if (difference > clip[Threshold::DATA_FRAME_TIME_ODD_difference]) {
    return Log(clip, Severity::kHint,
               rate() + ", near to none in use; the nearest is " + Short(near),
               near, log);
  }
  const double frames = difference * static_cast<double>(clip.facts->frames);
  if (frames > 1) {
    Log(clip, Severity::kHint,
        Short(near) + " frames a second, but rounding adds up to " +
            Short(frames) + " frames",
        near, log);
  }
}

}  // namespace bvhmill
