#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

constexpr std::string_view kBodyRootField = "options.edits.body_root";
// A body that goes farther than this, in reaches, moves. Hips sway less.
constexpr double kMovingBody = 0.5;

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
    return NoSuchJoint(kBodyRootField, stated, index);
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

bool MovesPlaces(const BodyPlaces& places) {
  const SignedAxes same;
  return places.motion != RootMotion::kKeep || places.axes.axis != same.axis ||
         places.axes.sign != same.sign;
}

// The new place of a body root in the world, below a parent at `above`.
Vec3<double> NewPlace(const BodyPlaces& places, const JointPose& above,
                      const Vec3<double>& local) {
  Vec3<double> still = Transform(above.turn, above.place, local);
  for (size_t i = 0; i < 3; ++i) {
    const bool is_kept =
        places.motion == RootMotion::kKeep ||
        (places.motion == RootMotion::kInPlace && i == places.height);
    if (!is_kept) still[i] = 0;
  }
  Vec3<double> place = {};
  for (size_t i = 0; i < 3; ++i) {
    place[i] =
        places.axes.sign[i] * still[static_cast<size_t>(places.axes.axis[i])];
  }
  return place;
}

// Puts a JOINT with three position channels to its new place, in all rows.
absl::Status PlaceJoint(const BodyPlaces& places, int32_t node,
                        Editing* editing) {
  const Skeleton& skeleton = editing->skeleton();
  const Node& joint = skeleton.nodes[static_cast<size_t>(node)];
  const std::vector<int32_t> above = JointsAbove(skeleton, node);
  return EachFrame(
      editing->size().frames, kPoseWork * static_cast<int64_t>(above.size()),
      editing->budget, [&](int64_t frame) {
        const auto row = RowAt(editing->clip, frame);
        const JointPose parent =
            WorldPoseOf(skeleton, editing->conventions, above, row);
        const JointPose local =
            LocalPose(skeleton, editing->conventions, joint, row);
        Vec3<double> way = NewPlace(places, parent, local.place);
        for (size_t i = 0; i < 3; ++i) way[i] -= parent.place[i];
        WritePlace(skeleton, editing->conventions, joint,
                   TurnBack(parent.turn, way), row);
      });
}

// Turns one body root, whose rotation channels in `edited` may be new.
absl::Status TurnBody(const Mat3<double>& correction, int32_t node,
                      Editing* editing) {
  const Skeleton before = editing->skeleton();
  std::vector<PoseChannels> wanted(before.nodes.size());
  wanted[static_cast<size_t>(node)].turn = true;
  MappedSkeleton edited = WithPoseChannels(before, wanted);
  const Skeleton after = edited.skeleton;
  const Node& from = before.nodes[static_cast<size_t>(node)];
  const Node& to = after.nodes[static_cast<size_t>(node)];
  const std::vector<int32_t> above = JointsAbove(before, node);
  EulerAngles near = {};
  const int64_t work = 2 * static_cast<int64_t>(edited.columns.size()) +
                       kPoseWork * static_cast<int64_t>(above.size() + 2);
  return RewriteRows(
      std::move(edited.skeleton), work, editing,
      [&](std::span<const float> row, std::span<float> out) {
        MapRow(edited.columns, row, out);
        const Mat3<double> parent =
            WorldPoseOf(before, editing->conventions, above, row).turn;
        // Below a parent that is turned itself, that is turned back first.
        Mat3<double> turn =
            Multiply(Transposed(parent), Multiply(correction, parent));
        auto column = static_cast<size_t>(from.first_channel);
        for (const Channel channel : ChannelsOf(before, from)) {
          if (IsRotation(channel)) {
            RotateAbout(AxisOf(channel), double{row[column]}, &turn);
          }
          ++column;
        }
        WriteTurn(after, to, turn, &near, out);
      });
}

// The least coordinate `height` of a body root or a node below one in any row.
// Infinite if there is none.
absl::Status FindLowest(std::span<const Body> bodies, size_t height,
                        const Editing& editing, double* lowest) {
  const Skeleton& skeleton = editing.skeleton();
  std::vector<bool> in_body(skeleton.nodes.size());
  for (const Body& body : bodies) {
    in_body[static_cast<size_t>(body.node)] = true;
  }
  for (size_t i = 0; i < in_body.size(); ++i) {
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent >= 0 && in_body[static_cast<size_t>(parent)]) in_body[i] = true;
  }
  *lowest = std::numeric_limits<double>::infinity();
  std::vector<JointPose> poses(skeleton.nodes.size());
  return EachFrame(editing.size().frames,
                   kPoseWork * static_cast<int64_t>(poses.size()),
                   editing.budget, [&](int64_t frame) {
                     WorldPoses(skeleton, editing.conventions,
                                RowAt(*editing.clip, frame), poses);
                     for (size_t i = 0; i < poses.size(); ++i) {
                       const double place = poses[i].place[height];
                       if (in_body[i] && std::isfinite(place)) {
                         *lowest = std::min(*lowest, place);
                       }
                     }
                   });
}

// Moves a body root along the coordinate `height` by `way`, in all rows.
absl::Status RaiseBody(int32_t node, size_t height, double way,
                       Editing* editing) {
  const Skeleton& skeleton = editing->skeleton();
  const Node& joint = skeleton.nodes[static_cast<size_t>(node)];
  const std::vector<int32_t> above = JointsAbove(skeleton, node);
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
                        Quote(DisplayName(skeleton, node)) +
                            " has no position channel along the height");
  }
  return EachFrame(
      editing->size().frames, kPoseWork * static_cast<int64_t>(above.size()),
      editing->budget, [&](int64_t frame) {
        const auto row = RowAt(editing->clip, frame);
        Vec3<double> shift = {};
        shift[height] = way;
        shift = TurnBack(
            WorldPoseOf(skeleton, editing->conventions, above, row).turn,
            shift);
        for (size_t axis = 0; axis < 3; ++axis) {
          if (columns[axis] < 0 || shift[axis] == 0) continue;
          float& value = row[static_cast<size_t>(columns[axis])];
          value = static_cast<float>(double{value} + shift[axis]);
        }
      });
}

// How far `node` goes: the diagonal of the box around all its places. In place,
// the height does not count.
absl::Status MeasureWay(const BodyPlaces& places, int32_t node,
                        const Editing& editing, double* length) {
  std::vector<int32_t> way = JointsAbove(editing.skeleton(), node);
  way.push_back(node);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3<double> least = {kInfinity, kInfinity, kInfinity};
  Vec3<double> most = {-kInfinity, -kInfinity, -kInfinity};
  BVHMILL_RETURN_IF_ERROR(EachFrame(
      editing.size().frames, kPoseWork * static_cast<int64_t>(way.size()),
      editing.budget, [&](int64_t frame) {
        const JointPose pose =
            WorldPoseOf(editing.skeleton(), editing.conventions, way,
                        RowAt(*editing.clip, frame));
        for (size_t i = 0; i < 3; ++i) {
          least[i] = std::min(least[i], pose.place[i]);
          most[i] = std::max(most[i], pose.place[i]);
        }
      }));
  double square = 0;
  for (size_t i = 0; i < 3; ++i) {
    const bool counts =
        places.motion == RootMotion::kOrigin || i != places.height;
    if (counts && most[i] > least[i]) {
      square += (most[i] - least[i]) * (most[i] - least[i]);
    }
  }
  *length = std::sqrt(square);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Body>> FindBodies(std::string_view stated,
                                             const Skeleton& skeleton,
                                             std::span<const uint8_t> moving,
                                             JointPositions reading,
                                             Budget* budget) {
  if (HasPositionedJoint(skeleton)) {
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, RecognitionUnits(skeleton.nodes.size())));
  }
  const std::vector<Trunk> trunks = FindTrunks(skeleton);
  const std::vector<uint8_t> still(skeleton.channels.size());
  const std::span<const uint8_t> columns = moving.empty() ? still : moving;
  std::vector<Body> bodies;
  bodies.reserve(trunks.size());
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

absl::Status PlaceBodies(std::span<const Body> bodies, const BodyPlaces& places,
                         Editing* editing) {
  if (!MovesPlaces(places)) return absl::OkStatus();
  // A body root that is a ROOT is edited by its columns, exactly.
  std::vector<int32_t> roots;
  for (const Body& body : bodies) {
    if (body.node == body.root) roots.push_back(body.root);
  }
  BVHMILL_RETURN_IF_ERROR(
      PlaceRoots(places.motion, places.height, places.axes, roots, editing));
  for (const Body& body : bodies) {
    if (body.node == body.root) continue;
    BVHMILL_RETURN_IF_ERROR(PlaceJoint(places, body.node, editing));
  }
  return absl::OkStatus();
}

absl::Status TurnBodies(std::span<const Body> bodies,
                        const std::array<double, 3>& degrees,
                        Editing* editing) {
  if (degrees == std::array<double, 3>{}) return absl::OkStatus();
  const Mat3<double> correction =
      FromEuler({2, 0, 1}, {degrees[2], degrees[0], degrees[1]});
  for (const Body& body : bodies) {
    BVHMILL_RETURN_IF_ERROR(TurnBody(correction, body.node, editing));
  }
  return absl::OkStatus();
}

absl::Status PutOnFloor(std::span<const Body> bodies, size_t height,
                        Editing* editing) {
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  double lowest = 0;
  BVHMILL_RETURN_IF_ERROR(FindLowest(bodies, height, *editing, &lowest));
  if (!std::isfinite(lowest)) return absl::OkStatus();
  for (const Body& body : bodies) {
    BVHMILL_RETURN_IF_ERROR(RaiseBody(body.node, height, -lowest, editing));
  }
  return absl::OkStatus();
}

absl::Status LogMovingBodies(std::span<const Body> bodies,
                             const BodyPlaces& places, Editing* editing) {
  if (places.motion == RootMotion::kKeep || editing->log == nullptr) {
    return absl::OkStatus();
  }
  const Skeleton& skeleton = editing->skeleton();
  for (const Body& body : bodies) {
    if (body.hips == body.node) continue;
    double way = 0;
    BVHMILL_RETURN_IF_ERROR(MeasureWay(places, body.hips, *editing, &way));
    if (!(way > kMovingBody * Reach(skeleton))) continue;
    Location at;
    at.joint = body.hips;
    at.joint_name = DisplayName(skeleton, body.hips);
    editing->log->Add(IssueCode::EDIT_BODY_MOVES, at,
                      {{"joint", Quote(at.joint_name)},
                       {"way", Short(way)},
                       {"root", Quote(DisplayName(skeleton, body.node))}});
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
