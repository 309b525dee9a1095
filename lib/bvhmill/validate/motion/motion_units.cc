#include "bvhmill/validate/motion/motion_units.h"

#include <utility>

#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/short_number.h"

namespace bvhmill {

void AddSeconds(const MotionClip& clip, int64_t frames, const char* before,
                IssueArgs* args) {
  std::string duration;
  if (HasRate(clip.frame_time)) {
    std::string seconds = Short(static_cast<double>(frames) * clip.frame_time);
    duration = before + seconds + " s";
    args->emplace_back("seconds", std::move(seconds));
  }
  args->emplace_back("duration", std::move(duration));
}

Location MotionLocation(const MotionClip& clip, int32_t node, int64_t frame) {
  Location location = FrameLocation(frame);
  location.joint = node;
  location.joint_name = DisplayName(*clip.skeleton, node);
  return location;
}

Location FrameLocation(int64_t frame) {
  Location location;
  location.frame = frame;
  return location;
}

std::string QuotedNode(const MotionClip& clip, int32_t node) {
  return Quote(DisplayName(*clip.skeleton, node));
}

Quat<double> PoseAt(const MotionClip& clip, const MotionBlock& block,
                    const MotionTrack& track, size_t i) {
  Quat<double> q;
  if (track.kind == TrackKind::kPosition) q.w = 0;
  for (const TrackColumn& column : clip.ColumnsOf(track)) {
    const double value = block.ValuesOf(column.column)[i];
    if (track.kind == TrackKind::kRotation) {
      q = Multiply(q, AxisQuat(column.axis, value));
    } else {
      (column.axis == 0 ? q.x : column.axis == 1 ? q.y : q.z) = value;
    }
  }
  return q;
}

double StepBetween(const Quat<double>& a, const Quat<double>& b) {
  const bool is_opposite = Dot(a, b) < 0;
  const double s = is_opposite && (a.w != 0 || b.w != 0) ? -1 : 1;
  const auto square = [](double v) { return v * v; };
  return square(a.x - s * b.x) + square(a.y - s * b.y) + square(a.z - s * b.z) +
         square(a.w - s * b.w);
}

}  // namespace bvhmill
