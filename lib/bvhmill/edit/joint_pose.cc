#include "bvhmill/edit/joint_pose.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bvhmill/clip/position_reading.h"

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

bool HasEulerAngles(const Skeleton& skeleton, const Node& node) {
  EulerAxes axes = {};
  size_t count = 0;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (!IsRotation(channel)) continue;
    if (count == 3) return false;
    axes[count++] = AxisOf(channel);
  }
  return count == 3 && IsEulerSequence(axes);
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

}  // namespace bvhmill
