#include "bvhmill/edit/body_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/position_reading.h"
#include "bvhmill/edit/name_index.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

constexpr std::string_view kBodyRootField = "options.edits.body_root";

// For each column of the edited skeleton: its values differ in the source.
std::vector<uint8_t> MovingOf(const ColumnMap& columns,
                              std::span<const uint8_t> moving) {
  std::vector<uint8_t> out;
  for (const ColumnSource& column : columns) {
    const bool is_known = column.source >= 0 && !moving.empty();
    out.push_back(is_known ? moving[static_cast<size_t>(column.source)] : 0);
  }
  return out;
}

bool HasMovingPosition(const Skeleton& skeleton, int32_t node,
                       std::span<const uint8_t> moving) {
  const Node& joint = skeleton.nodes[static_cast<size_t>(node)];
  for (int32_t i = 0; i < joint.channel_count; ++i) {
    const auto column = static_cast<size_t>(joint.first_channel + i);
    if (IsPosition(skeleton.channels[column]) && moving[column] != 0) {
      return true;
    }
  }
  return false;
}

int32_t HipsOf(const Skeleton& skeleton, const Trunk& trunk, int32_t body_root,
               std::span<const uint8_t> moving, JointPositions reading) {
  if (trunk.reaches_hips) return trunk.joints.back();
  const auto moves = [&](int32_t node) {
    return CanCarry(skeleton, node, reading) &&
           HasMovingPosition(skeleton, node, moving);
  };
  const auto last =
      std::find_if(trunk.joints.rbegin(), trunk.joints.rend(), moves);
  return last == trunk.joints.rend() ? body_root : *last;
}

// The ROOT above each node.
std::vector<int32_t> RootsAbove(const std::vector<Node>& nodes) {
  std::vector<int32_t> roots;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int32_t parent = nodes[i].parent;
    roots.push_back(parent < 0 ? static_cast<int32_t>(i)
                               : roots[static_cast<size_t>(parent)]);
  }
  return roots;
}

// Sets the body roots of the trees that have a joint of the name `stated`.
absl::Status SetStated(std::string_view stated, const Skeleton& skeleton,
                       JointPositions reading, std::vector<Body>* bodies) {
  const NameIndex index = MakeNameIndex(skeleton);
  const auto found = FindName(index, stated);
  if (found.empty()) {
    return InvalidField(kBodyRootField,
                        "no joint of the clip is " + Quote(stated));
  }
  const std::vector<int32_t> roots = RootsAbove(skeleton.nodes);
  // In reverse: the first joint of a tree counts.
  for (size_t i = found.size(); i-- > 0;) {
    const int32_t node = found[i].node;
    if (!CanCarry(skeleton, node, reading)) {
      return InvalidField(kBodyRootField,
                          Quote(stated) +
                              " has no three position channels that are read, "
                              "so it cannot carry the body");
    }
    const int32_t root = roots[static_cast<size_t>(node)];
    std::find_if(bodies->begin(), bodies->end(), [root](const Body& body) {
      return body.root == root;
    })->node = node;
  }
  return absl::OkStatus();
}

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

// Turns `pose`, that of the joint above, into that of `node`.
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

// The transpose of a rotation times `v`.
Vec3<double> TurnBack(const Mat3<double>& m, const Vec3<double>& v) {
  Vec3<double> out = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) out[i] += m[k][i] * v[k];
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Body>> FindBodies(std::string_view stated,
                                             const EditedSkeleton& edited,
                                             std::span<const uint8_t> moving,
                                             JointPositions reading,
                                             Budget* budget) {
  const Skeleton& skeleton = edited.skeleton;
  if (HasPositionedJoint(skeleton)) {
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, RecognitionUnits(skeleton.nodes.size())));
  }
  const std::vector<Trunk> trunks = FindTrunks(skeleton);
  const std::vector<uint8_t> columns = MovingOf(edited.columns, moving);
  std::vector<Body> bodies;
  for (const Trunk& trunk : trunks) {
    bodies.push_back({trunk.joints[0], trunk.joints[0], trunk.joints[0]});
  }
  if (!moving.empty()) {
    const auto found = FindBodyRoots(skeleton, trunks, columns, reading);
    for (size_t i = 0; i < found.size(); ++i) bodies[i].node = found[i];
  }
  if (!stated.empty()) {
    BVHMILL_RETURN_IF_ERROR(SetStated(stated, skeleton, reading, &bodies));
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].hips =
        HipsOf(skeleton, trunks[i], bodies[i].node, columns, reading);
  }
  return bodies;
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

bool MovesPlaces(const BodyPlaces& places) {
  const SignedAxes same;
  return places.motion != RootMotion::kKeep || places.axes.axis != same.axis ||
         places.axes.sign != same.sign;
}

void PlaceBody(const Skeleton& skeleton, const Conventions& conventions,
               const BodyPlaces& places, const JointPose& above, int32_t node,
               std::span<float> row) {
  const Node& joint = skeleton.nodes[static_cast<size_t>(node)];
  const PositionReading reading = ReadingOf(joint, conventions);
  Vec3<double> still = Transform(above.turn, above.place,
                                 PositionIn(skeleton, joint, reading, row));
  for (size_t i = 0; i < 3; ++i) {
    const bool is_kept =
        places.motion == RootMotion::kKeep ||
        (places.motion == RootMotion::kInPlace && i == places.height);
    if (!is_kept) still[i] = 0;
  }
  Vec3<double> way = {};
  for (size_t i = 0; i < 3; ++i) {
    way[i] =
        places.axes.sign[i] * still[static_cast<size_t>(places.axes.axis[i])] -
        above.place[i];
  }
  const Vec3<double> local = TurnBack(above.turn, way);
  auto column = static_cast<size_t>(joint.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, joint)) {
    if (IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      const double base =
          reading == PositionReading::kAdded ? double{joint.offset[axis]} : 0;
      row[column] = static_cast<float>(local[axis] - base);
    }
    ++column;
  }
}

double LowestPlace(const Clip& clip, const Conventions& conventions,
                   std::span<const Body> bodies, size_t height) {
  const Skeleton& skeleton = clip.skeleton;
  const size_t width = skeleton.channels.size();
  const std::span<const float> values = clip.motion.values;
  std::vector<bool> in_body(skeleton.nodes.size());
  for (const Body& body : bodies)
    in_body[static_cast<size_t>(body.node)] = true;
  for (size_t i = 0; i < in_body.size(); ++i) {
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent >= 0 && in_body[static_cast<size_t>(parent)]) in_body[i] = true;
  }
  std::vector<JointPose> poses(skeleton.nodes.size());
  double lowest = std::numeric_limits<double>::infinity();
  for (int64_t frame = 0; frame < clip.motion.frames; ++frame) {
    const auto row = values.subspan(static_cast<size_t>(frame) * width, width);
    for (size_t i = 0; i < poses.size(); ++i) {
      const Node& node = skeleton.nodes[i];
      poses[i] = node.parent < 0 ? JointPose()
                                 : poses[static_cast<size_t>(node.parent)];
      AddJoint(skeleton, conventions, node, row, &poses[i]);
      const double place = poses[i].place[height];
      if (in_body[i] && std::isfinite(place)) {
        lowest = std::min(lowest, place);
      }
    }
  }
  return lowest;
}

absl::Status RaiseBodies(std::span<const Body> bodies,
                         const Conventions& conventions, size_t height,
                         double way, Clip* clip) {
  const Skeleton& skeleton = clip->skeleton;
  const size_t width = skeleton.channels.size();
  for (const Body& body : bodies) {
    const Node& joint = skeleton.nodes[static_cast<size_t>(body.node)];
    const std::vector<int32_t> above = JointsAbove(skeleton, body.node);
    std::array<int32_t, 3> columns = {-1, -1, -1};
    int32_t column = joint.first_channel;
    for (const Channel channel : ChannelsOf(skeleton, joint)) {
      if (IsPosition(channel)) {
        columns[static_cast<size_t>(AxisOf(channel))] = column;
      }
      ++column;
    }
    const bool can_rise =
        above.empty()
            ? columns[height] >= 0
            : std::find(columns.begin(), columns.end(), -1) == columns.end();
    if (!can_rise) {
      return InvalidField("options.edits.floor",
                          Quote(DisplayName(skeleton, body.node)) +
                              " has no position channel along the height");
    }
    for (int64_t frame = 0; frame < clip->motion.frames; ++frame) {
      const auto row = std::span<float>(clip->motion.values)
                           .subspan(static_cast<size_t>(frame) * width, width);
      Vec3<double> shift = {};
      shift[height] = way;
      shift =
          TurnBack(WorldPoseOf(skeleton, conventions, above, row).turn, shift);
      for (size_t axis = 0; axis < 3; ++axis) {
        if (columns[axis] < 0 || shift[axis] == 0) continue;
        float& value = row[static_cast<size_t>(columns[axis])];
        value = static_cast<float>(double{value} + shift[axis]);
      }
    }
  }
  return absl::OkStatus();
}

double WayOf(const Clip& clip, const Conventions& conventions,
             const BodyPlaces& places, int32_t node) {
  std::vector<int32_t> way = JointsAbove(clip.skeleton, node);
  way.push_back(node);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3<double> least = {kInfinity, kInfinity, kInfinity};
  Vec3<double> most = {-kInfinity, -kInfinity, -kInfinity};
  const size_t width = clip.skeleton.channels.size();
  const std::span<const float> values = clip.motion.values;
  for (size_t at = 0; at + width <= values.size() && width > 0; at += width) {
    const JointPose pose =
        WorldPoseOf(clip.skeleton, conventions, way, values.subspan(at, width));
    for (size_t i = 0; i < 3; ++i) {
      least[i] = std::min(least[i], pose.place[i]);
      most[i] = std::max(most[i], pose.place[i]);
    }
  }
  double square = 0;
  for (size_t i = 0; i < 3; ++i) {
    const bool counts =
        places.motion == RootMotion::kOrigin || i != places.height;
    if (counts && most[i] > least[i]) {
      square += (most[i] - least[i]) * (most[i] - least[i]);
    }
  }
  return std::sqrt(square);
}

}  // namespace bvhmill
