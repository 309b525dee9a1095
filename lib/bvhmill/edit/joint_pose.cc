#include "bvhmill/edit/joint_pose.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bvhmill/clip/clip.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {
namespace {

constexpr std::array<Channel, 3> kNewRotations = {
    Channel::kZRotation, Channel::kXRotation, Channel::kYRotation};

// The position of a node below its parent.
Vec3<double> PositionIn(const Skeleton& skeleton, const Node& node,
                        PositionReading reading, std::span<const float> row) {
  Vec3<double> place = {node.offset[0], node.offset[1], node.offset[2]};
  if (reading == PositionReading::kIgnored) return place;
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      const double base =
          reading == PositionReading::kAdded ? double{node.offset[axis]} : 0;
      place[axis] = base + double{row[column]};
    }
    ++column;
  }
  return place;
}

// The rotation channels of a node that form an Euler sequence of three.
struct Triple {
  EulerAxes axes = {};
  std::array<size_t, 3> columns = {};
};

bool FindTriple(const Skeleton& skeleton, const Node& node, Triple* triple) {
  size_t count = 0;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = skeleton.channels[column];
    if (!IsRotation(channel)) continue;
    if (count == 3) return false;
    triple->axes[count] = AxisOf(channel);
    triple->columns[count++] = column;
  }
  return count == 3 && IsEulerSequence(triple->axes);
}

bool HasEulerAngles(const Skeleton& skeleton, const Node& node) {
  Triple triple;
  return FindTriple(skeleton, node, &triple);
}

void AppendNewRotations(MappedSkeleton* to) {
  for (const Channel channel : kNewRotations) Append(channel, {}, to);
}

void AppendMissingPositions(const Skeleton& skeleton, const Node& node,
                            MappedSkeleton* to) {
  const auto channels = ChannelsOf(skeleton, node);
  for (const Channel channel :
       {Channel::kXPosition, Channel::kYPosition, Channel::kZPosition}) {
    if (std::find(channels.begin(), channels.end(), channel) ==
        channels.end()) {
      Append(channel, {}, to);
    }
  }
}

float BlendValue(Channel channel, float a, float b, double u) {
  const double from = a;
  const double way =
      IsRotation(channel) ? ShortestArc(from, b) : static_cast<double>(b) - a;
  return static_cast<float>(from + u * way);
}

// Interpolates the shorter way. Both quaternions must have length 1.
Quat<double> Slerp(const Quat<double>& a, Quat<double> b, double u) {
  double cosine = Dot(a, b);
  if (cosine < 0) {
    b = {-b.x, -b.y, -b.z, -b.w};
    cosine = -cosine;
  }
  double p = 1 - u;
  double q = u;
  // If the two are closer than this, the straight line is the arc; the sines
  // below would be 0.
  if (cosine < 1 - 1e-12) {
    const double angle = std::acos(cosine);
    p = std::sin(p * angle) / std::sin(angle);
    q = std::sin(q * angle) / std::sin(angle);
  }
  const Quat<double> mix = {p * a.x + q * b.x, p * a.y + q * b.y,
                            p * a.z + q * b.z, p * a.w + q * b.w};
  const double length =
      std::sqrt(mix.x * mix.x + mix.y * mix.y + mix.z * mix.z + mix.w * mix.w);
  return {mix.x / length, mix.y / length, mix.z / length, mix.w / length};
}

EulerAngles AnglesAt(const Triple& triple, std::span<const float> row) {
  return {row[triple.columns[0]], row[triple.columns[1]],
          row[triple.columns[2]]};
}

void SlerpTriple(const Triple& triple, std::span<const float> a,
                 std::span<const float> b, double u, std::span<float> out) {
  const EulerAngles from = AnglesAt(triple, a);
  const EulerAngles to = AnglesAt(triple, b);
  if (from == to) return;
  EulerAngles near;
  for (size_t i = 0; i < 3; ++i) {
    near[i] = from[i] + u * ShortestArc(from[i], to[i]);
  }
  const Quat<double> turned = Slerp(QuatFromEuler(triple.axes, from),
                                    QuatFromEuler(triple.axes, to), u);
  const EulerAngles angles = ToEuler(triple.axes, ToMatrix(turned), near);
  for (size_t i = 0; i < 3; ++i) {
    out[triple.columns[i]] = static_cast<float>(angles[i]);
  }
}

}  // namespace

absl::Status HoldPoses(const Editing& editing) {
  // Poses before the edit and after it, rotations above, names.
  constexpr int64_t kNodeBytes = 512;
  return HoldFrom(
      editing.budget,
      kNodeBytes * static_cast<int64_t>(editing.skeleton().nodes.size()));
}

void AddJoint(const Skeleton& skeleton, const Conventions& conventions,
              const Node& node, std::span<const float> row, JointPose* pose) {
  pose->place =
      Transform(pose->turn, pose->place,
                PositionIn(skeleton, node, ReadingOf(node, conventions), row));
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsRotation(channel)) {
      RotateAbout(AxisOf(channel), double{row[column]}, &pose->turn);
    }
    ++column;
  }
}

JointPose LocalPose(const Skeleton& skeleton, const Conventions& conventions,
                    const Node& node, std::span<const float> row) {
  JointPose pose;
  AddJoint(skeleton, conventions, node, row, &pose);
  return pose;
}

std::vector<int32_t> JointsAbove(const Skeleton& skeleton, int32_t node) {
  std::vector<int32_t> above;
  for (int32_t i = skeleton.nodes[static_cast<size_t>(node)].parent; i >= 0;
       i = skeleton.nodes[static_cast<size_t>(i)].parent) {
    above.push_back(i);
  }
  std::reverse(above.begin(), above.end());
  return above;
}

JointPose WorldPoseOf(const Skeleton& skeleton, const Conventions& conventions,
                      std::span<const int32_t> way,
                      std::span<const float> row) {
  JointPose pose;
  for (const int32_t index : way) {
    AddJoint(skeleton, conventions, skeleton.nodes[static_cast<size_t>(index)],
             row, &pose);
  }
  return pose;
}

void WorldPoses(const Skeleton& skeleton, const Conventions& conventions,
                std::span<const float> row, std::span<JointPose> poses) {
  for (size_t i = 0; i < poses.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    poses[i] =
        node.parent < 0 ? JointPose() : poses[static_cast<size_t>(node.parent)];
    AddJoint(skeleton, conventions, node, row, &poses[i]);
  }
}

Mat3<double> Transposed(const Mat3<double>& m) {
  Mat3<double> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) out[i][k] = m[k][i];
  }
  return out;
}

Vec3<double> TurnBack(const Mat3<double>& m, const Vec3<double>& v) {
  Vec3<double> out = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) out[i] += m[k][i] * v[k];
  }
  return out;
}

MappedSkeleton WithPoseChannels(const Skeleton& skeleton,
                                std::span<const PoseChannels> wanted) {
  MappedSkeleton out;
  out.skeleton.nodes = skeleton.nodes;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& old = skeleton.nodes[i];
    const size_t begin = out.columns.size();
    if (wanted[i].place) AppendMissingPositions(skeleton, old, &out);
    bool replaces = wanted[i].turn && !HasEulerAngles(skeleton, old);
    const bool keeps_rotations = !replaces;
    for (int32_t k = 0; k < old.channel_count; ++k) {
      const int32_t column = old.first_channel + k;
      const Channel channel = skeleton.channels[static_cast<size_t>(column)];
      if (keeps_rotations || !IsRotation(channel)) {
        Append(channel, {column}, &out);
      } else if (std::exchange(replaces, false)) {
        AppendNewRotations(&out);
      }
    }
    if (replaces) AppendNewRotations(&out);
    Node& node = out.skeleton.nodes[i];
    node.first_channel = static_cast<int32_t>(begin);
    node.channel_count = static_cast<int32_t>(out.columns.size() - begin);
  }
  return out;
}

void WritePlace(const Skeleton& skeleton, const Conventions& conventions,
                const Node& node, const Vec3<double>& place,
                std::span<float> row) {
  const bool adds = ReadingOf(node, conventions) == PositionReading::kAdded;
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      const double base = adds ? double{node.offset[axis]} : 0;
      row[column] = static_cast<float>(place[axis] - base);
    }
    ++column;
  }
}

void WriteTurn(const Skeleton& skeleton, const Node& node,
               const Mat3<double>& turn, EulerAngles* near,
               std::span<float> row) {
  EulerAxes axes = {};
  std::array<size_t, 3> columns = {};
  size_t count = 0;
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsRotation(channel)) {
      axes[count] = AxisOf(channel);
      columns[count++] = column;
    }
    ++column;
  }
  const EulerAngles angles = ToEuler(axes, turn, *near);
  for (size_t i = 0; i < 3; ++i)
    row[columns[i]] = static_cast<float>(angles[i]);
  // A frame with non-finite angles must not affect later frames.
  if (std::isfinite(angles[0] + angles[1] + angles[2])) *near = angles;
}

void BlendNode(const Skeleton& skeleton, const Node& node,
               std::span<const float> a, std::span<const float> b, double u,
               Interpolation interpolation, std::span<float> out) {
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    out[column] =
        BlendValue(skeleton.channels[column], a[column], b[column], u);
  }
  if (interpolation == Interpolation::kLerp) return;
  Triple triple;
  if (FindTriple(skeleton, node, &triple)) SlerpTriple(triple, a, b, u, out);
}

void SamplePose(const Skeleton& skeleton, std::span<const float> values,
                int64_t frames, double place, Interpolation interpolation,
                std::span<float> out) {
  place = std::clamp(place, 0.0, static_cast<double>(frames - 1));
  const auto row = [&](double frame) {
    return values.subspan(static_cast<size_t>(frame) * out.size(), out.size());
  };
  const double nearest = std::round(place);
  if (std::abs(place - nearest) <= kFrameTolerance) {
    std::copy_n(row(nearest).begin(), out.size(), out.begin());
    return;
  }
  const double before = std::floor(place);
  for (const Node& node : skeleton.nodes) {
    BlendNode(skeleton, node, row(before), row(before + 1), place - before,
              interpolation, out);
  }
}

Resampling ResamplingOf(double from_rate, double to_rate) {
  // 2 * 1001.
  constexpr double kParts = 2002;
  constexpr double kRounding = 1e-12;
  const auto whole = [](double rate) {
    const double parts = rate * kParts;
    const double nearest = std::round(parts);
    return std::abs(parts - nearest) <= kRounding * parts ? nearest : parts;
  };
  return {whole(from_rate), whole(to_rate)};
}

std::optional<int64_t> ResampledFrames(const Resampling& rate, int64_t frames,
                                       int64_t most) {
  if (frames <= 0) return 0;
  const double last =
      (static_cast<double>(frames - 1) + kFrameTolerance) * rate.to / rate.from;
  // One frame more, because rounding is corrected below.
  if (!(last < static_cast<double>(most) + 1)) return std::nullopt;
  auto count = static_cast<int64_t>(last) + 1;
  while (count > 1 && !IsWithin(rate, count - 1, frames)) --count;
  while (count <= most && IsWithin(rate, count, frames)) ++count;
  if (count > most) return std::nullopt;
  return count;
}

}  // namespace bvhmill
