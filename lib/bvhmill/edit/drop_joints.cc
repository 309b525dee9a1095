#include <array>
#include <string>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/edit/joint_edits.h"

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
    return InvalidField("options.edits.drop_joints",
                        "the root " + Quote(skeleton.nodes[tree].name) +
                            " cannot be dropped: more than one joint would "
                            "be left below it");
  }
  if (any) return absl::OkStatus();
  return InvalidField("options.edits.drop_joints", "no joint would be left");
}

JointPositions PositionsOf(const Node& node, const Conventions& conventions) {
  if (node.kind != NodeKind::kRoot) return conventions.joint_positions;
  return conventions.root_offset == RootOffset::kAdded
             ? JointPositions::kAddToOffset
             : JointPositions::kReplaceOffset;
}

// Shifts a position channel so that its joint stays where it was. A position
// that replaces the OFFSET does not include the dropped OFFSETs above it, and a
// joint that becomes a root may be read by another convention.
ColumnSource MovedPosition(ColumnSource column, const Node& before,
                           const Node& after, const Placement& placement,
                           size_t axis, const Conventions& conventions) {
  const JointPositions was = PositionsOf(before, conventions);
  const JointPositions is = PositionsOf(after, conventions);
  // A position that is ignored from now on needs no shift. One that was ignored
  // before becomes constant.
  if (is == JointPositions::kIgnore) return column;
  const double offset = after.offset[axis];
  if (was == JointPositions::kIgnore) column = {};
  const bool replaces = was == JointPositions::kReplaceOffset;
  column.bias += replaces ? placement.dropped_offset[axis] : offset;
  if (is == JointPositions::kAddToOffset) column.bias -= offset;
  return column;
}

void AddChannels(const EditedSkeleton& before, const Node& old,
                 const Placement& placement, const Conventions& conventions,
                 Node* node, EditedSkeleton* after) {
  node->first_channel = static_cast<int32_t>(after->skeleton.channels.size());
  const bool moved = placement.kept_parent != old.parent;
  for (int32_t i = 0; i < old.channel_count; ++i) {
    const auto from = static_cast<size_t>(old.first_channel + i);
    const Channel channel = before.skeleton.channels[from];
    ColumnSource column = before.columns[from];
    if (moved && IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      column = MovedPosition(column, old, *node, placement, axis, conventions);
    }
    after->skeleton.channels.push_back(channel);
    after->columns.push_back(column);
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

}  // namespace

absl::Status DropJoints(const std::vector<bool>& dropped,
                        const Conventions& conventions,
                        EditedSkeleton* edited) {
  const std::vector<Node>& nodes = edited->skeleton.nodes;
  const std::vector<Placement> placements =
      PlacementsOf(edited->skeleton, dropped);
  BVHMILL_RETURN_IF_ERROR(CheckRoots(edited->skeleton, placements));
  std::vector<int32_t> new_index(nodes.size(), kNone);
  EditedSkeleton out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Placement& placement = placements[i];
    if (!placement.kept) continue;
    new_index[i] = static_cast<int32_t>(out.skeleton.nodes.size());
    Node node = MovedNode(nodes[i], placement, new_index);
    AddChannels(*edited, nodes[i], placement, conventions, &node, &out);
    out.skeleton.nodes.push_back(std::move(node));
    if (placement.children > 0 || placement.lost_child == kNone) continue;
    const Node& lost = nodes[static_cast<size_t>(placement.lost_child)];
    out.skeleton.nodes.push_back(EndSiteAt(lost.offset, out.skeleton));
  }
  *edited = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill
