#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/edit/new_parents.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

constexpr int32_t kNone = -1;

using Vector = std::array<double, 3>;

// The place of a node once the dropped joints are gone.
struct Placement {
  bool kept = false;
  // The next kept joint above it, as an old index; kNone for a root.
  int32_t kept_parent = kNone;
  // The sum of the OFFSETs of the dropped joints between the two.
  Vector dropped_offset = {};
  // The root of its tree, as an old index.
  int32_t tree = kNone;
  // For a joint: how many children it has, and its first dropped child.
  int32_t children = 0;
  int32_t lost_child = kNone;
};

Placement PlacementOf(const Skeleton& skeleton,
                      const std::vector<Placement>& placements,
                      const std::vector<bool>& dropped, int32_t index) {
  const Node& node = skeleton.nodes[static_cast<size_t>(index)];
  Placement placement;
  placement.kept = !dropped[static_cast<size_t>(index)];
  placement.tree = index;
  if (node.parent == kNone) return placement;
  const Placement& parent = placements[static_cast<size_t>(node.parent)];
  placement.tree = parent.tree;
  if (IsEndSite(node)) placement.kept = parent.kept;
  placement.kept_parent = parent.kept ? node.parent : parent.kept_parent;
  if (parent.kept) return placement;
  const Node& gone = skeleton.nodes[static_cast<size_t>(node.parent)];
  for (size_t i = 0; i < 3; ++i) {
    placement.dropped_offset[i] = parent.dropped_offset[i] + gone.offset[i];
  }
  return placement;
}

std::vector<Placement> PlacementsOf(const Skeleton& skeleton,
                                    const std::vector<bool>& dropped) {
  std::vector<Placement> placements(skeleton.nodes.size());
  for (size_t i = 0; i < placements.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    placements[i] = PlacementOf(skeleton, placements, dropped, index);
    const int32_t parent = skeleton.nodes[i].parent;
    if (placements[i].kept && placements[i].kept_parent != kNone) {
      ++placements[static_cast<size_t>(placements[i].kept_parent)].children;
    }
    if (parent == kNone || placements[i].kept || IsEndSite(skeleton.nodes[i])) {
      continue;
    }
    int32_t& lost = placements[static_cast<size_t>(parent)].lost_child;
    if (lost == kNone) lost = index;
  }
  return placements;
}

// Requires one root in each tree, and at least one tree.
absl::Status CheckRoots(const Skeleton& skeleton,
                        const std::vector<Placement>& placements) {
  bool any = false;
  std::vector<int32_t> roots(placements.size());
  for (const Placement& placement : placements) {
    if (!placement.kept || placement.kept_parent != kNone) continue;
    any = true;
    const auto tree = static_cast<size_t>(placement.tree);
    if (++roots[tree] < 2) continue;
    return InvalidField("options.edits.drop",
                        "the root " + Quote(skeleton.nodes[tree].name) +
                            " cannot be dropped: more than one joint would "
                            "be left below it");
  }
  if (any) return absl::OkStatus();
  return InvalidField("options.edits.drop", "no joint would be left");
}

// Shifts a position channel so that its joint stays where it was, if no dropped
// joint above it turns. A position that replaces the OFFSET does not include
// the dropped OFFSETs above it, and a joint that becomes a root may be read by
// another convention.
ColumnSource MovedPosition(ColumnSource column, const Node& before,
                           const Node& after, const Placement& placement,
                           size_t axis, const Conventions& conventions) {
  const PositionReading was = ReadingOf(before, conventions);
  const PositionReading is = ReadingOf(after, conventions);
  // A position that is ignored from now on needs no shift. One that was ignored
  // before becomes constant.
  if (is == PositionReading::kIgnored) return column;
  const double offset = after.offset[axis];
  if (was == PositionReading::kIgnored) column = {};
  const bool replaces = was == PositionReading::kReplaced;
  column.bias += replaces ? placement.dropped_offset[axis] : offset;
  if (is == PositionReading::kAdded) column.bias -= offset;
  return column;
}

void AddChannels(const Skeleton& before, const Node& old,
                 const Placement& placement, const Conventions& conventions,
                 Node* node, MappedSkeleton* after) {
  node->first_channel = static_cast<int32_t>(after->columns.size());
  const bool moved = placement.kept_parent != old.parent;
  for (int32_t i = 0; i < old.channel_count; ++i) {
    const int32_t from = old.first_channel + i;
    const Channel channel = before.channels[static_cast<size_t>(from)];
    ColumnSource column = {from};
    if (moved && IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      column = MovedPosition(column, old, *node, placement, axis, conventions);
    }
    Append(channel, column, after);
  }
}

Node MovedNode(const Node& old, const Placement& placement,
               const std::vector<int32_t>& new_index) {
  Node node = old;
  node.parent = placement.kept_parent == kNone
                    ? kNone
                    : new_index[static_cast<size_t>(placement.kept_parent)];
  if (node.parent == kNone) node.kind = NodeKind::kRoot;
  if (placement.kept_parent == old.parent) return node;
  for (size_t i = 0; i < 3; ++i) {
    node.offset[i] =
        static_cast<float>(placement.dropped_offset[i] + old.offset[i]);
  }
  return node;
}

Node EndSiteAt(const std::array<float, 3>& offset, const Skeleton& skeleton) {
  Node node;
  node.kind = NodeKind::kEndSite;
  node.parent = static_cast<int32_t>(skeleton.nodes.size()) - 1;
  node.offset = offset;
  node.first_channel = static_cast<int32_t>(skeleton.channels.size());
  return node;
}

// The clip without the dropped joints: the motion of these is lost.
MappedSkeleton WithoutDropped(const Skeleton& before,
                              const std::vector<Placement>& placements,
                              const Conventions& conventions,
                              std::vector<int32_t>* new_index) {
  new_index->assign(before.nodes.size(), kNone);
  MappedSkeleton out;
  for (size_t i = 0; i < before.nodes.size(); ++i) {
    const Placement& placement = placements[i];
    if (!placement.kept) continue;
    (*new_index)[i] = static_cast<int32_t>(out.skeleton.nodes.size());
    Node node = MovedNode(before.nodes[i], placement, *new_index);
    AddChannels(before, before.nodes[i], placement, conventions, &node, &out);
    out.skeleton.nodes.push_back(std::move(node));
    if (placement.children > 0 || placement.lost_child == kNone) continue;
    const Node& lost = before.nodes[static_cast<size_t>(placement.lost_child)];
    out.skeleton.nodes.push_back(EndSiteAt(lost.offset, out.skeleton));
  }
  return out;
}

// The value of each column at which it does nothing: 0, or the OFFSET that a
// position replaces.
std::vector<float> RestRow(const Skeleton& skeleton,
                           const Conventions& conventions) {
  std::vector<float> rest(skeleton.channels.size());
  for (const Node& node : skeleton.nodes) {
    if (ReadingOf(node, conventions) != PositionReading::kReplaced) continue;
    auto column = static_cast<size_t>(node.first_channel);
    for (const Channel channel : ChannelsOf(skeleton, node)) {
      if (IsPosition(channel)) {
        rest[column] = node.offset[static_cast<size_t>(AxisOf(channel))];
      }
      ++column;
    }
  }
  return rest;
}

// For each column, 1 if it does something in a frame.
std::vector<uint8_t> ActiveColumns(const Editing& editing) {
  const std::vector<float> rest =
      RestRow(editing.skeleton(), editing.conventions);
  std::vector<uint8_t> active(rest.size());
  for (int64_t frame = 0; frame < editing.size().frames; ++frame) {
    const auto row = RowAt(*editing.clip, frame);
    for (size_t i = 0; i < row.size(); ++i) {
      if (!(row[i] == rest[i])) active[i] = 1;
    }
  }
  return active;
}

bool HasActive(const Skeleton& skeleton, const Node& node,
               std::span<const uint8_t> active, bool (*is_kind)(Channel)) {
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (is_kind(channel) && active[column] != 0) return true;
    ++column;
  }
  return false;
}

bool IsDropped(const std::vector<bool>& dropped, int32_t node) {
  return node >= 0 && dropped[static_cast<size_t>(node)];
}

// The kept joints below dropped joints that turn or move.
std::vector<Adopted> FindAdopted(const Editing& editing,
                                 const std::vector<bool>& dropped,
                                 std::span<const int32_t> new_index) {
  const Skeleton& skeleton = editing.skeleton();
  const std::vector<uint8_t> active = ActiveColumns(editing);
  // For each dropped joint: whether it or a dropped joint above it does so.
  std::vector<bool> turns(dropped.size());
  std::vector<bool> moves(dropped.size());
  std::vector<Adopted> out;
  for (size_t i = 0; i < dropped.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto parent = static_cast<size_t>(std::max(node.parent, 0));
    const bool is_below = IsDropped(dropped, node.parent);
    if (is_below) {
      turns[i] = turns[parent];
      moves[i] = moves[parent];
    }
    if (dropped[i]) {
      if (HasActive(skeleton, node, active, IsRotation)) turns[i] = true;
      if (ReadingOf(node, editing.conventions) != PositionReading::kIgnored &&
          HasActive(skeleton, node, active, IsPosition)) {
        moves[i] = true;
      }
    } else if (is_below && new_index[i] != kNone && (turns[i] || moves[i])) {
      Adopted joint;
      joint.before = static_cast<int32_t>(i);
      joint.after = new_index[i];
      joint.turns = turns[i];
      out.push_back(joint);
    }
  }
  return out;
}

// The poses of dropped joints, and of joints below them, below the next kept
// joint above. Other poses are not set. O(nodes).
void PosesBelowKept(const Editing& editing, const Skeleton& skeleton,
                    const std::vector<bool>& dropped,
                    std::span<const float> row, std::span<JointPose> poses) {
  for (size_t i = 0; i < poses.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const bool is_below = IsDropped(dropped, node.parent);
    if (!is_below && !dropped[i]) continue;
    poses[i] = is_below ? poses[static_cast<size_t>(node.parent)] : JointPose();
    AddJoint(skeleton, editing.conventions, node, row, &poses[i]);
  }
}

// How far a kept joint is from where it was, at most.
struct Shift {
  double way = 0;
  int32_t before = kNone;
  int64_t frame = 0;
};

absl::Status LogShift(const Shift& shift, const Skeleton& before,
                      IssueLog* log) {
  // The share of the height of the figure that is worth a warning, and that
  // which is rounding.
  constexpr double kMuch = 0.01;
  constexpr double kRounding = 1e-5;
  const double reach = Reach(before);
  if (log == nullptr || !(shift.way > kRounding * reach)) {
    return absl::OkStatus();
  }
  Location at;
  at.joint = shift.before;
  at.joint_name = DisplayName(before, shift.before);
  at.frame = shift.frame;
  const bool is_much = shift.way > kMuch * reach;
  log->AddAs(is_much ? Severity::kWarning : Severity::kInfo,
             IssueCode::EDIT_DROP_MOVED, at,
             {{"joint", Quote(at.joint_name)},
              {"way", Short(shift.way)},
              {"percent", reach > 0 ? Short(100 * shift.way / reach) : "-"}});
  return absl::OkStatus();
}

// Rewrites the rows and measures how far joints move, whose motion above is
// lost.
absl::Status DropRigidly(MappedSkeleton edited,
                         std::span<const int32_t> new_index,
                         bool motion_is_lost, Editing* editing) {
  if (!motion_is_lost) return MapRows(std::move(edited), editing);
  const Skeleton before = editing->skeleton();
  const Skeleton after = edited.skeleton;
  std::vector<JointPose> was(before.nodes.size());
  std::vector<JointPose> is(after.nodes.size());
  Shift most;
  int64_t frame = 0;
  BVHMILL_RETURN_IF_ERROR(RewriteRows(
      std::move(edited.skeleton),
      kPoseWork * static_cast<int64_t>(was.size() + is.size()), editing,
      [&](std::span<const float> row, std::span<float> out) {
        MapRow(edited.columns, row, out);
        WorldPoses(before, editing->conventions, row, was);
        WorldPoses(after, editing->conventions, out, is);
        for (size_t i = 0; i < was.size(); ++i) {
          if (new_index[i] == kNone) continue;
          const Vec3<double>& to = is[static_cast<size_t>(new_index[i])].place;
          double square = 0;
          for (size_t k = 0; k < 3; ++k) {
            square += (to[k] - was[i].place[k]) * (to[k] - was[i].place[k]);
          }
          if (std::sqrt(square) > most.way) {
            most = {std::sqrt(square), static_cast<int32_t>(i), frame};
          }
        }
        ++frame;
      }));
  return LogShift(most, before, editing->log);
}

}  // namespace

absl::Status DropNodes(const std::vector<bool>& dropped, DropMode mode,
                       Editing* editing, std::vector<int32_t>* new_index) {
  BVHMILL_RETURN_IF_ERROR(HoldPoses(*editing));
  const std::vector<Placement> placements =
      PlacementsOf(editing->skeleton(), dropped);
  BVHMILL_RETURN_IF_ERROR(CheckRoots(editing->skeleton(), placements));
  MappedSkeleton edited = WithoutDropped(editing->skeleton(), placements,
                                         editing->conventions, new_index);
  BVHMILL_RETURN_IF_ERROR(
      WorkFrom(editing->budget,
               static_cast<int64_t>(editing->clip->motion.values.size())));
  std::vector<Adopted> adopted = FindAdopted(*editing, dropped, *new_index);
  const bool ignores_positions =
      editing->conventions.joint_positions == JointPositions::kIgnore;
  const bool is_rigid =
      adopted.empty() || ignores_positions || mode == DropMode::kRigid;
  if (is_rigid) {
    return DropRigidly(std::move(edited), *new_index, !adopted.empty(),
                       editing);
  }
  const Skeleton before = editing->skeleton();
  return KeepPoses(
      edited, std::move(adopted),
      [&](std::span<const float> row, std::span<JointPose> poses) {
        PosesBelowKept(*editing, before, dropped, row, poses);
      },
      editing);
}

absl::Status DropJoints(const ClipEdits& edits, Editing* editing) {
  std::vector<bool> dropped;
  BVHMILL_RETURN_IF_ERROR(SelectDropped(edits, editing->skeleton(), &dropped));
  if (std::find(dropped.begin(), dropped.end(), true) == dropped.end()) {
    return absl::OkStatus();
  }
  std::vector<int32_t> new_index;
  return DropNodes(dropped, edits.drop_mode, editing, &new_index);
}

}  // namespace bvhmill
