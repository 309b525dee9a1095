#include <array>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_edits.h"

namespace bvhmill {
namespace {

constexpr int32_t kNone = -1;

using Vector = std::array<double, 3>;

// Where a node hangs once the dropped ones are gone.
struct Hold {
  bool kept = false;
  // The next kept joint above, as an old index; kNone for a root.
  int32_t above = kNone;
  // OFFSETs of the dropped joints between it and that.
  Vector carried = {};
  // The root of its tree, as an old index.
  int32_t tree = kNone;
  // Of a joint: what hangs on it, and the first child that it lost.
  int32_t children = 0;
  int32_t lost_child = kNone;
};

Hold HoldOf(const Skeleton& skeleton, const std::vector<Hold>& holds,
            const std::vector<bool>& dropped, int32_t index) {
  const Node& node = skeleton.nodes[static_cast<size_t>(index)];
  Hold hold;
  hold.kept = !dropped[static_cast<size_t>(index)];
  hold.tree = index;
  if (node.parent == kNone) return hold;
  const Hold& parent = holds[static_cast<size_t>(node.parent)];
  hold.tree = parent.tree;
  if (IsEndSite(node)) hold.kept = parent.kept;
  hold.above = parent.kept ? node.parent : parent.above;
  if (parent.kept) return hold;
  const Node& gone = skeleton.nodes[static_cast<size_t>(node.parent)];
  for (size_t i = 0; i < 3; ++i) {
    hold.carried[i] = parent.carried[i] + gone.offset[i];
  }
  return hold;
}

std::vector<Hold> HoldsOf(const Skeleton& skeleton,
                          const std::vector<bool>& dropped) {
  std::vector<Hold> holds(skeleton.nodes.size());
  for (size_t i = 0; i < holds.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    holds[i] = HoldOf(skeleton, holds, dropped, index);
    const int32_t parent = skeleton.nodes[i].parent;
    if (holds[i].kept && holds[i].above != kNone) {
      ++holds[static_cast<size_t>(holds[i].above)].children;
    }
    if (parent == kNone || holds[i].kept || IsEndSite(skeleton.nodes[i])) {
      continue;
    }
    int32_t& lost = holds[static_cast<size_t>(parent)].lost_child;
    if (lost == kNone) lost = index;
  }
  return holds;
}

// Each tree must have one root, and there must be a tree.
absl::Status CheckRoots(const Skeleton& skeleton,
                        const std::vector<Hold>& holds) {
  bool any = false;
  std::vector<int32_t> roots(holds.size());
  for (const Hold& hold : holds) {
    if (!hold.kept || hold.above != kNone) continue;
    any = true;
    const auto tree = static_cast<size_t>(hold.tree);
    if (++roots[tree] < 2) continue;
    return InvalidField("options.edits.drop_joints",
                        "the root '" + skeleton.nodes[tree].name +
                            "' cannot be dropped: more than one joint would "
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

// What is to be added to a position channel, so that its joint stays where it
// was: a position that replaces the OFFSET does not hold what was dropped above
// it, and a joint that becomes a root may be read in another way.
ColumnSource MovedPosition(ColumnSource column, const Node& before,
                           const Node& after, const Hold& hold, size_t axis,
                           const Conventions& conventions) {
  const JointPositions was = PositionsOf(before, conventions);
  const JointPositions is = PositionsOf(after, conventions);
  // An ignored position stays so, or stands still.
  if (is == JointPositions::kIgnore) return column;
  const double offset = after.offset[axis];
  if (was == JointPositions::kIgnore) column.factor = column.bias = 0;
  const bool replaces = was == JointPositions::kReplaceOffset;
  column.bias += replaces ? hold.carried[axis] : offset;
  if (is == JointPositions::kAddToOffset) column.bias -= offset;
  return column;
}

void AddChannels(const EditedSkeleton& before, const Node& old,
                 const Hold& hold, const Conventions& conventions, Node* node,
                 EditedSkeleton* after) {
  node->first_channel = static_cast<int32_t>(after->skeleton.channels.size());
  const bool moved = hold.above != old.parent;
  for (int32_t i = 0; i < old.channel_count; ++i) {
    const auto from = static_cast<size_t>(old.first_channel + i);
    const Channel channel = before.skeleton.channels[from];
    ColumnSource column = before.columns[from];
    if (moved && IsPosition(channel)) {
      const auto axis = static_cast<size_t>(AxisOf(channel));
      column = MovedPosition(column, old, *node, hold, axis, conventions);
    }
    after->skeleton.channels.push_back(channel);
    after->columns.push_back(column);
  }
}

Node MovedNode(const Node& old, const Hold& hold,
               const std::vector<int32_t>& new_index) {
  Node node = old;
  node.parent =
      hold.above == kNone ? kNone : new_index[static_cast<size_t>(hold.above)];
  if (node.parent == kNone) node.kind = NodeKind::kRoot;
  if (hold.above == old.parent) return node;
  for (size_t i = 0; i < 3; ++i) {
    node.offset[i] = static_cast<float>(hold.carried[i] + old.offset[i]);
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
  const std::vector<Hold> holds = HoldsOf(edited->skeleton, dropped);
  BVHMILL_RETURN_IF_ERROR(CheckRoots(edited->skeleton, holds));
  std::vector<int32_t> new_index(nodes.size(), kNone);
  EditedSkeleton out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Hold& hold = holds[i];
    if (!hold.kept) continue;
    new_index[i] = static_cast<int32_t>(out.skeleton.nodes.size());
    Node node = MovedNode(nodes[i], hold, new_index);
    AddChannels(*edited, nodes[i], hold, conventions, &node, &out);
    out.skeleton.nodes.push_back(std::move(node));
    if (hold.children > 0 || hold.lost_child == kNone) continue;
    const Node& lost = nodes[static_cast<size_t>(hold.lost_child)];
    out.skeleton.nodes.push_back(EndSiteAt(lost.offset, out.skeleton));
  }
  *edited = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill
