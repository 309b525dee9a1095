#include "bvhmill/validate/motion/motion_clip.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

void AddTrack(const Skeleton& skeleton, int32_t node, TrackKind kind,
              MotionClip* clip) {
  const Node& at = skeleton.nodes[static_cast<size_t>(node)];
  const auto first = static_cast<int32_t>(clip->columns.size());
  int32_t column = at.first_channel;
  for (const Channel channel : ChannelsOf(skeleton, at)) {
    const bool is_wanted = kind == TrackKind::kRotation ? IsRotation(channel)
                                                        : IsPosition(channel);
    if (is_wanted) clip->columns.push_back({column, AxisOf(channel)});
    ++column;
  }
  const int32_t count = static_cast<int32_t>(clip->columns.size()) - first;
  if (count > 0) clip->tracks.push_back({kind, node, first, count});
}

}  // namespace

void TrackSums::Add(const TrackSums& later) {
  steps += later.steps;
  capped_steps += later.capped_steps;
  capped_kinks += later.capped_kinks;
  calm_squares += later.calm_squares;
  max_step = std::max(max_step, later.max_step);
  max_kink = std::max(max_kink, later.max_kink);
  last_step = later.last_step;
  step_before_last = later.step_before_last;
  last_kink = later.last_kink;
}

void FrameTotals::Begin(int64_t frames) {
  const size_t size = static_cast<size_t>(frames) + 2 * kMargin;
  for (auto* values : {&steps, &kinks, &turning, &excess, &jumpers}) {
    values->assign(size, 0.0F);
  }
}

void BeginMotionClip(const Skeleton& skeleton, std::span<const float> values,
                     int64_t frames, MotionClip* clip) {
  clip->skeleton = &skeleton;
  clip->values = values;
  clip->frames = frames;
  clip->tracks.clear();
  clip->columns.clear();
  for (const TrackKind kind : {TrackKind::kRotation, TrackKind::kPosition}) {
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      if (IsEndSite(skeleton.nodes[i])) continue;
      AddTrack(skeleton, static_cast<int32_t>(i), kind, clip);
    }
    if (kind == TrackKind::kRotation) clip->rotations = clip->tracks.size();
  }
  clip->sums.assign(clip->tracks.size(), {});
  clip->ranges.assign(skeleton.channels.size(), {});
  clip->totals.Begin(clip->tracks.empty() ? 0 : frames);
}

Quat<double> PoseAt(const MotionClip& clip, const MotionTrack& track,
                    int64_t frame) {
  const std::span<const float> row = clip.Row(frame);
  Quat<double> q;
  if (track.kind == TrackKind::kPosition) q.w = 0;
  for (const TrackColumn& column : clip.ColumnsOf(track)) {
    const double value = row[static_cast<size_t>(column.column)];
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

double AllSteps(const MotionClip& clip) {
  double steps = 0;
  for (size_t i = 0; i < clip.rotations; ++i) steps += clip.sums[i].steps;
  return steps;
}

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

}  // namespace bvhmill
