#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

constexpr std::string_view kField = "options.edits.tpose_frame";

absl::Status CheckFrame(int64_t frame, const Editing& editing) {
  const int64_t frames = editing.size().frames;
  if (frame >= frames) {
    return InvalidField(kField, "is " + std::to_string(frame) +
                                    ", but the clip has " +
                                    std::to_string(frames) + " frames");
  }
  for (const float value : RowAt(*editing.clip, frame)) {
    if (std::isfinite(value)) continue;
    return InvalidField(kField, "frame " + std::to_string(frame) +
                                    " has a value that is not finite");
  }
  return absl::OkStatus();
}

bool HasChannel(const Skeleton& skeleton, const Node& node,
                bool (*is_kind)(Channel)) {
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (is_kind(channel)) return true;
  }
  return false;
}

// Makes `pose`, the pose of each node below its parent, the rest pose: see
// RestAtFrame. Places of roots do not count.
absl::Status RestAtPose(std::span<const JointPose> pose, Editing* editing) {
  const Skeleton before = editing->skeleton();
  const Conventions& conventions = editing->conventions;
  const size_t nodes = before.nodes.size();
  Skeleton moved = before;
  std::vector<PoseChannels> wanted(nodes);
  std::vector<Mat3<double>> above(nodes, Identity<double>());
  std::vector<Mat3<double>> world(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    const Node& node = before.nodes[i];
    wanted[i].turn = HasChannel(before, node, IsRotation) ||
                     pose[i].turn != Identity<double>();
    if (node.parent >= 0) {
      wanted[i].place =
          HasChannel(before, node, IsPosition) &&
          ReadingOf(node, conventions) != PositionReading::kIgnored;
      above[i] = world[static_cast<size_t>(node.parent)];
      const Vec3<double> offset = Transform(above[i], {}, pose[i].place);
      for (size_t k = 0; k < 3; ++k) {
        moved.nodes[i].offset[k] = static_cast<float>(offset[k]);
      }
    }
    world[i] = Multiply(above[i], pose[i].turn);
  }
  MappedSkeleton mapped = WithPoseChannels(moved, wanted);
  const Skeleton after = mapped.skeleton;
  std::vector<EulerAngles> near(nodes);
  return RewriteRows(
      std::move(mapped.skeleton), kPoseWork * static_cast<int64_t>(nodes),
      editing, [&](std::span<const float> row, std::span<float> out) {
        MapRow(mapped.columns, row, out);
        for (size_t i = 0; i < nodes; ++i) {
          if (!wanted[i].turn && !wanted[i].place) continue;
          const Node& node = after.nodes[i];
          const JointPose local =
              LocalPose(before, conventions, before.nodes[i], row);
          if (wanted[i].place) {
            WritePlace(after, conventions, node,
                       Transform(above[i], {}, local.place), out);
          }
          if (!wanted[i].turn) continue;
          const Mat3<double> turned =
              Multiply(local.turn, Transposed(pose[i].turn));
          WriteTurn(after, node,
                    Multiply(above[i], Multiply(turned, Transposed(above[i]))),
                    &near[i], out);
        }
      });
}

}  // namespace

absl::Status RestAtFrame(int64_t frame, Editing* editing) {
  BVHMILL_RETURN_IF_ERROR(CheckFrame(frame, *editing));
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  std::vector<JointPose> pose;
  for (const Node& node : editing->skeleton().nodes) {
    pose.push_back(LocalPose(editing->skeleton(), editing->conventions, node,
                             RowAt(*editing->clip, frame)));
  }
  BVHMILL_RETURN_IF_ERROR(RestAtPose(pose, editing));
  // Exact, where the products are off by their rounding.
  const auto row = RowAt(editing->clip, frame);
  for (size_t i = 0; i < row.size(); ++i) {
    if (IsRotation(editing->skeleton().channels[i])) row[i] = 0;
  }
  return absl::OkStatus();
}

// --- Rest poses by directions of bones.

namespace {

constexpr std::string_view kRest = "options.edits.rest";

using Vector = Vec3<double>;

// A bone, as it is in the rest pose of the clip, and its new direction.
struct Aim {
  Vector from;
  Vector to;
};
// The aims of a joint: it turns so that the first one is met, and the second
// as nearly as possible. Joints without an aim turn with their parents.
using Aims = std::vector<Aim>;

double Length(const Vector& v) { return std::sqrt(Dot(v, v)); }

Vector Unit(const Vector& v) {
  const double length = Length(v);
  return {v[0] / length, v[1] / length, v[2] / length};
}

// A direction across `v`, which has length 1.
Vector Across(const Vector& v) {
  Vector axis = {};
  axis[std::abs(v[0]) < 0.6 ? 0 : 1] = 1;
  return Unit(Cross(v, axis));
}

// Columns: the direction of `a`, the one across it that is nearest to `b`, and
// the one across both.
Mat3<double> FrameOf(const Vector& a, const Vector& b) {
  const Vector x = Unit(a);
  const Vector z = Unit(Cross(x, b));
  const Vector y = Cross(z, x);
  return {{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}};
}

// True if the two are more than half a degree from one line.
bool AreApart(const Vector& a, const Vector& b) {
  return Length(Cross(Unit(a), Unit(b))) > 0.01;
}

// The turn that brings the direction `from` to `to` by the shortest way.
Mat3<double> ShortestTurn(const Vector& from, const Vector& to) {
  const Vector a = Unit(from);
  const Vector b = Unit(to);
  Vector axis = Cross(a, b);
  // Parallel, or opposite to one another: any axis across them will do.
  axis = Length(axis) > 1e-9 ? Unit(axis) : Across(a);
  return Multiply(FrameOf(b, Cross(axis, b)),
                  Transposed(FrameOf(a, Cross(axis, a))));
}

// The pose of each node below its parent in which the aims are met, where bones
// keep their lengths; `bones` are the places of nodes below their parents.
std::vector<JointPose> PoseOf(const Skeleton& skeleton,
                              const std::vector<Vector>& bones,
                              const std::vector<Aims>& aims) {
  std::vector<JointPose> pose(bones.size());
  std::vector<Mat3<double>> world(bones.size(), Identity<double>());
  for (size_t i = 0; i < bones.size(); ++i) {
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent >= 0) world[i] = world[static_cast<size_t>(parent)];
    const Mat3<double> above = world[i];
    pose[i].place = bones[i];
    if (aims[i].empty()) continue;
    const Vector first = Transform(above, {}, aims[i][0].from);
    Mat3<double> turn = ShortestTurn(first, aims[i][0].to);
    if (aims[i].size() > 1) {
      const Vector second = Transform(above, {}, aims[i][1].from);
      if (AreApart(first, second) && AreApart(aims[i][0].to, aims[i][1].to)) {
        turn = Multiply(FrameOf(aims[i][0].to, aims[i][1].to),
                        Transposed(FrameOf(first, second)));
      }
    }
    world[i] = Multiply(turn, above);
    pose[i].turn = Multiply(Transposed(above), world[i]);
  }
  return pose;
}

// The places of nodes below their parents: their OFFSETs. If an OFFSET is 0, it
// is the place in the first frame.
std::vector<Vector> BonesOf(const Editing& editing) {
  const Skeleton& skeleton = editing.skeleton();
  std::vector<Vector> bones;
  for (const Node& node : skeleton.nodes) {
    Vector& bone = bones.emplace_back(
        Vector{node.offset[0], node.offset[1], node.offset[2]});
    if (Length(bone) > 0 || node.parent < 0 || editing.size().frames == 0) {
      continue;
    }
    const Vector place =
        LocalPose(skeleton, editing.conventions, node, RowAt(*editing.clip, 0))
            .place;
    if (std::isfinite(Length(place))) bone = place;
  }
  return bones;
}

// The places of nodes in the world where no joint turns.
std::vector<Vector> PlacesOf(const Skeleton& skeleton,
                             const std::vector<Vector>& bones) {
  std::vector<Vector> places = bones;
  for (size_t i = 0; i < places.size(); ++i) {
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    for (size_t k = 0; k < 3; ++k) {
      places[i][k] += places[static_cast<size_t>(parent)][k];
    }
  }
  return places;
}

// Finds the aims of a T-pose or an A-pose.
class BodyAims {
 public:
  BodyAims(const Recognition& recognition, const std::vector<Vector>& places,
           std::vector<Aims>* aims)
      : recognition_(recognition), places_(places), aims_(*aims) {}

  // The bone from the joint of `role` to that of `end` gets the direction `to`.
  void Aim(Role role, Role end, const Vector& to) {
    AimLine(role, role, end, to);
  }
  // The same for the line from `begin` to `end`, which `role` turns.
  void AimLine(Role role, Role begin, Role end, const Vector& to) {
    const int32_t joint = NodeOfRole(recognition_, role);
    const int32_t from = NodeOfRole(recognition_, begin);
    const int32_t tip = NodeOfRole(recognition_, end);
    if (joint < 0 || from < 0 || tip < 0) return;
    const Vector line = Minus(places_[static_cast<size_t>(tip)],
                              places_[static_cast<size_t>(from)]);
    if (Length(line) > 0) {
      aims_[static_cast<size_t>(joint)].push_back({line, to});
    }
  }
  // Each bone of the trunk, from the hips to the head, gets the direction `to`.
  // Returns the role whose joint turns the neck and the shoulders.
  Role AimTrunk(const Vector& to) {
    Role below = Role::kHips;
    Role chest = Role::kHips;
    for (int i = 1; i <= IndexOf(Role::kHead); ++i) {
      const auto role = static_cast<Role>(i);
      const int32_t joint = NodeOfRole(recognition_, role);
      const int32_t last = NodeOfRole(recognition_, below);
      if (joint < 0 || places_[static_cast<size_t>(joint)] ==
                           places_[static_cast<size_t>(last)]) {
        continue;
      }
      Aim(below, role, to);
      below = role;
      if (role <= Role::kChest) chest = role;
    }
    return chest;
  }

 private:
  const Recognition& recognition_;
  const std::vector<Vector>& places_;
  std::vector<Aims>& aims_;
};

absl::Status AimBody(bool is_apose, UpAxis up_axis, Editing* editing,
                     const std::vector<Vector>& places,
                     std::vector<Aims>* aims) {
  if (up_axis == UpAxis::kX) {
    return InvalidField(kRest,
                        "the up axis of the clip is X, which is that "
                        "of the arms");
  }
  const Skeleton& skeleton = editing->skeleton();
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(editing->budget, RecognitionUnits(skeleton.nodes.size())));
  const Recognition body = Recognize(skeleton);
  constexpr Role kNeeded[] = {
      Role::kHips,         Role::kLeftUpperArm, Role::kLeftForearm,
      Role::kRightForearm, Role::kLeftThigh,    Role::kLeftShin,
      Role::kRightThigh,   Role::kRightShin,    Role::kRightUpperArm};
  for (const Role role : kNeeded) {
    if (NodeOfRole(body, role) >= 0) continue;
    return InvalidField(
        kRest, "no joint of the clip is known to be the " +
                   std::string(RoleNames()[static_cast<size_t>(role)]));
  }
  Vector up = {};
  up[HeightAxis(up_axis)] = 1;
  const Vector down = Minus(Vector{}, up);
  const Vector left = {1, 0, 0};
  const Vector right = {-1, 0, 0};
  BodyAims aim(body, places, aims);
  aim.AimLine(Role::kHips, Role::kRightThigh, Role::kLeftThigh, left);
  const Role chest = aim.AimTrunk(up);
  aim.AimLine(chest, Role::kRightUpperArm, Role::kLeftUpperArm, left);
  for (const bool is_left : {true, false}) {
    const auto side = [&](Role role) {
      return is_left ? role : MirrorRole(role);
    };
    Vector arm = is_left ? left : right;
    if (is_apose) arm = Minus(arm, up);
    aim.Aim(side(Role::kLeftUpperArm), side(Role::kLeftForearm), arm);
    aim.Aim(side(Role::kLeftForearm), side(Role::kLeftHand), arm);
    aim.Aim(side(Role::kLeftThigh), side(Role::kLeftShin), down);
    aim.Aim(side(Role::kLeftShin), side(Role::kLeftFoot), down);
  }
  return absl::OkStatus();
}

// The skeleton of the BVH text `rest`.
absl::StatusOr<Skeleton> ReadRest(std::string_view rest) {
  IssueLog log({});
  ReadResult read = ReadBvh(rest, {}, &log);
  if (read.skeleton_read) return std::move(read.clip.skeleton);
  return InvalidField(kRest, "the text is no BVH with a HIERARCHY");
}

// The node of `reference` that corresponds to `child`, a node of the clip below
// the joint that corresponds to `joint`; -1 if there is none.
int32_t ChildIn(const Skeleton& reference, const NameIndex& index,
                int32_t joint, const Node& child) {
  if (IsEndSite(child)) {
    for (size_t i = 0; i < reference.nodes.size(); ++i) {
      const Node& node = reference.nodes[i];
      if (IsEndSite(node) && node.parent == joint) {
        return static_cast<int32_t>(i);
      }
    }
    return -1;
  }
  const auto found = FindName(index, child.name);
  if (found.empty()) return -1;
  const std::vector<int32_t> above = JointsAbove(reference, found[0].node);
  const bool is_below =
      std::find(above.begin(), above.end(), joint) != above.end();
  return is_below ? found[0].node : -1;
}

absl::Status AimAsIn(const Skeleton& reference, const Skeleton& skeleton,
                     const std::vector<Vector>& bones,
                     std::vector<Aims>* aims) {
  std::vector<Vector> offsets;
  for (const Node& node : reference.nodes) {
    offsets.push_back({node.offset[0], node.offset[1], node.offset[2]});
  }
  const std::vector<Vector> places = PlacesOf(reference, offsets);
  const NameIndex index = MakeNameIndex(reference);
  bool any = false;
  for (size_t i = 0; i < bones.size(); ++i) {
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    const auto at = static_cast<size_t>(parent);
    const auto joint = FindName(index, skeleton.nodes[at].name);
    Aims& own = (*aims)[at];
    if (joint.empty() || own.size() == 2) continue;
    const int32_t child =
        ChildIn(reference, index, joint[0].node, skeleton.nodes[i]);
    if (child < 0) continue;
    const Vector to = Minus(places[static_cast<size_t>(child)],
                            places[static_cast<size_t>(joint[0].node)]);
    const bool is_bone = Length(bones[i]) > 0 && Length(to) > 0;
    if (!is_bone || (own.size() == 1 && !AreApart(own[0].from, bones[i]))) {
      continue;
    }
    own.push_back({bones[i], to});
    any = true;
  }
  if (any) return absl::OkStatus();
  return InvalidField(kRest,
                      "no bone of the clip is in the file of the rest pose");
}

bool IsText(std::string_view rest) { return rest.find('\n') != rest.npos; }

}  // namespace

absl::Status CheckRest(std::string_view rest) {
  if (rest.empty() || rest == "tpose" || rest == "apose") {
    return absl::OkStatus();
  }
  if (IsText(rest)) return ReadRest(rest).status();
  return InvalidField(kRest, Quote(rest) +
                                 " is no rest pose; there are apose, "
                                 "tpose");
}

bool NeedsUp(std::string_view rest) { return !rest.empty() && !IsText(rest); }

absl::Status RestAs(std::string_view rest, UpAxis up, Editing* editing) {
  if (rest.empty()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  const Skeleton& skeleton = editing->skeleton();
  const std::vector<Vector> bones = BonesOf(*editing);
  std::vector<Aims> aims(bones.size());
  if (IsText(rest)) {
    const absl::StatusOr<Skeleton> reference = ReadRest(rest);
    if (!reference.ok()) return reference.status();
    BVHMILL_RETURN_IF_ERROR(AimAsIn(*reference, skeleton, bones, &aims));
  } else {
    BVHMILL_RETURN_IF_ERROR(AimBody(rest == "apose", up, editing,
                                    PlacesOf(skeleton, bones), &aims));
  }
  return RestAtPose(PoseOf(skeleton, bones, aims), editing);
}

}  // namespace bvhmill
