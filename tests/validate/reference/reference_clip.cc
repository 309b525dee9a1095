#include "tests/validate/reference/reference_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace bvhmill::testing {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

double Dot(const Quat<double>& a, const Quat<double>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

Quat<double> Minus(const Quat<double>& a, const Quat<double>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

Quat<double> Times(double s, const Quat<double>& q) {
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}

double Norm(const Quat<double>& q) { return std::sqrt(Dot(q, q)); }

Quat<double> PoseAt(const ReferenceClip& clip, const ReferenceTrack& track,
                    int64_t t) {
  Quat<double> q;
  if (!track.is_rotation) q.w = 0;
  for (const int32_t column : track.columns) {
    const Channel channel =
        clip.clip->skeleton.channels[static_cast<size_t>(column)];
    const double value = clip.Value(t, column);
    const int axis = AxisOf(channel);
    if (track.is_rotation) {
      q = Multiply(q, AxisQuat(axis, value));
    } else {
      (axis == 0 ? q.x : axis == 1 ? q.y : q.z) = value / clip.reach;
    }
  }
  return q;
}

void ComputeSteps(int64_t frames, ReferenceTrack* track) {
  const auto count = static_cast<size_t>(frames);
  track->steps.assign(count, 0);
  track->kinks.assign(count, 0);
  track->returns.assign(count, 0);
  track->turns_back.assign(count, false);
  std::vector<Quat<double>>& q = track->poses;
  for (size_t t = 1; t < count; ++t) {
    if (track->is_rotation && Dot(q[t], q[t - 1]) < 0) q[t] = Times(-1, q[t]);
  }
  const double step_unit = track->is_rotation ? 2 * kDegrees : 1;
  const double kink_unit = track->is_rotation ? kDegrees : 0.5;
  for (size_t t = 1; t < count; ++t) {
    const Quat<double> before = Minus(q[t], q[t - 1]);
    track->steps[t] = step_unit * Norm(before);
    if (t + 1 == count) continue;
    const Quat<double> after = Minus(q[t + 1], q[t]);
    track->kinks[t] = kink_unit * Norm(Minus(after, before));
    track->returns[t] = step_unit * Norm(Minus(q[t + 1], q[t - 1]));
    track->turns_back[t] = Dot(before, after) < 0;
  }
}

void AddTracks(bool is_rotation, ReferenceClip* out) {
  const Skeleton& skeleton = out->clip->skeleton;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (IsEndSite(node)) continue;
    ReferenceTrack track;
    track.is_rotation = is_rotation;
    track.node = static_cast<int32_t>(i);
    int32_t column = node.first_channel;
    for (const Channel channel : ChannelsOf(skeleton, node)) {
      if (is_rotation ? IsRotation(channel) : IsPosition(channel)) {
        track.columns.push_back(column);
      }
      ++column;
    }
    if (track.columns.empty()) continue;
    for (int64_t t = 0; t < out->frames; ++t) {
      track.poses.push_back(PoseAt(*out, track, t));
    }
    ComputeSteps(out->frames, &track);
    out->tracks.push_back(track);
  }
}

}  // namespace

// The positions of a joint in a frame, if it has all three.
std::optional<std::array<double, 3>> PlaceOf(const Clip& clip, size_t node,
                                             int64_t frame) {
  const Node& joint = clip.skeleton.nodes[node];
  std::array<std::optional<double>, 3> place;
  const size_t row = static_cast<size_t>(frame) * clip.skeleton.channels.size();
  for (int32_t i = 0; i < joint.channel_count; ++i) {
    const auto column = static_cast<size_t>(joint.first_channel + i);
    const Channel channel = clip.skeleton.channels[column];
    if (!IsPosition(channel)) continue;
    place[static_cast<size_t>(AxisOf(channel))] =
        clip.motion.values[row + column];
  }
  if (!place[0] || !place[1] || !place[2]) return std::nullopt;
  return std::array{*place[0], *place[1], *place[2]};
}

// The length of the bone to a JOINT or an end site.
double BoneOf(const Clip& clip, size_t node) {
  const auto& nodes = clip.skeleton.nodes;
  const double offset = std::hypot(nodes[node].offset[0], nodes[node].offset[1],
                                   nodes[node].offset[2]);
  if (IsEndSite(nodes[node]) || !PlaceOf(clip, node, 0)) return offset;
  // It carries the body: the joints above it have no other child.
  bool carries = true;
  for (int32_t at = nodes[node].parent; at >= 0;
       at = nodes[static_cast<size_t>(at)].parent) {
    const auto children = std::count_if(
        nodes.begin(), nodes.end(),
        [at](const Node& n) { return n.parent == at && !IsEndSite(n); });
    carries = carries && children == 1;
  }
  if (carries) return 0;
  const int64_t last = clip.motion.frames - 1;
  std::vector<double> lengths;
  for (const int64_t frame : {int64_t{0}, last / 2, last}) {
    const auto place = *PlaceOf(clip, node, frame);
    lengths.push_back(std::hypot(place[0], place[1], place[2]));
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths[0] >= 0.9 * lengths[2] ? lengths[1] : offset;
}

double ReachOf(const Clip& clip) {
  const auto& nodes = clip.skeleton.nodes;
  const bool has_offset =
      std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
        return node.parent >= 0 && !IsEndSite(node) &&
               std::hypot(node.offset[0], node.offset[1], node.offset[2]) > 0;
      });
  const auto joints = std::count_if(
      nodes.begin(), nodes.end(),
      [](const Node& node) { return node.parent >= 0 && !IsEndSite(node); });
  if (joints > 0 && !has_offset) return 0;
  double reach = 0;
  for (size_t leaf = 0; leaf < nodes.size(); ++leaf) {
    double length = 0;
    for (size_t at = leaf; nodes[at].parent >= 0;
         at = static_cast<size_t>(nodes[at].parent)) {
      length += BoneOf(clip, at);
    }
    reach = std::max(reach, length);
  }
  return reach;
}

double ReferenceTrack::MeanStep() const {
  const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
  return sum / static_cast<double>(steps.size() - 1);
}

std::vector<const ReferenceTrack*> ReferenceClip::Rotations() const {
  std::vector<const ReferenceTrack*> out;
  for (const ReferenceTrack& track : tracks) {
    if (track.is_rotation) out.push_back(&track);
  }
  return out;
}

double ReferenceClip::Value(int64_t t, int32_t column) const {
  const size_t width = clip->skeleton.channels.size();
  return clip->motion
      .values[static_cast<size_t>(t) * width + static_cast<size_t>(column)];
}

double DistanceOf(const ReferenceTrack& track, const Quat<double>& a,
                  const Quat<double>& b) {
  if (!track.is_rotation) return Norm(Minus(a, b));
  return 2 * kDegrees *
         std::min(Norm(Minus(a, b)), Norm(Minus(a, Times(-1, b))));
}

namespace {

void FindRepeats(ReferenceClip* out) {
  const Skeleton& skeleton = out->clip->skeleton;
  const auto width = static_cast<int32_t>(skeleton.channels.size());
  const int32_t root =
      skeleton.nodes.empty() ? 0 : skeleton.nodes[0].channel_count;
  for (int64_t t = 0; t < out->frames; ++t) {
    const auto differs = [&](int32_t begin, int32_t end) {
      for (int32_t c = begin; c < end; ++c) {
        if (out->Value(t, c) != out->Value(t - 1, c)) return true;
      }
      return false;
    };
    const bool moves = t == 0 || differs(0, root);
    const bool poses = t == 0 || differs(root, width);
    out->repeats.push_back(!moves && !poses);
    out->repeats_pose.push_back(moves && !poses);
  }
}

}  // namespace

ReferenceClip MakeReferenceClip(const Clip& clip) {
  ReferenceClip out;
  out.clip = &clip;
  out.frames = clip.motion.frames;
  const double time = clip.motion.frame_time;
  out.dt = time >= 0.00099 && time < 0.2 ? time : 1.0 / 30;
  out.reach = ReachOf(clip);
  AddTracks(true, &out);
  if (out.reach > 0) AddTracks(false, &out);
  FindRepeats(&out);
  return out;
}

}  // namespace bvhmill::testing
