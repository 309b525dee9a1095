#include "bvhmill/skeletons/body_root.h"

#include <algorithm>

#include "bvhmill/clip/clip.h"
#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// The number of joints in and below each node.
std::vector<int32_t> CountJoints(const std::vector<Node>& nodes) {
  std::vector<int32_t> joints(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!IsEndSite(nodes[i])) ++joints[i];
    if (nodes[i].parent < 0) continue;
    joints[static_cast<size_t>(nodes[i].parent)] += joints[i];
  }
  return joints;
}

// The index of the tree, and so of the trunk, of each node.
std::vector<size_t> TreesOf(const std::vector<Node>& nodes) {
  std::vector<size_t> trees;
  size_t count = 0;
  for (const Node& node : nodes) {
    trees.push_back(node.parent < 0 ? count++
                                    : trees[static_cast<size_t>(node.parent)]);
  }
  return trees;
}

// The path from the ROOT to `node`; empty if it is longer than a trunk.
std::vector<int32_t> WayTo(const std::vector<Node>& nodes, int32_t node) {
  std::vector<int32_t> way;
  for (; node >= 0; node = nodes[static_cast<size_t>(node)].parent) {
    if (way.size() == Trunk::kMost) return {};
    way.push_back(node);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

// Tells for each node if its channels vary.
struct Stirs {
  // A channel of the node varies.
  std::vector<bool> self;
  // A channel in or below the node varies.
  std::vector<bool> tree;
  // The number of children with a channel that varies in or below them.
  std::vector<int32_t> children;
};

Stirs FindStirs(const Skeleton& skeleton, std::span<const uint8_t> moving) {
  const std::vector<Node>& nodes = skeleton.nodes;
  Stirs out;
  out.self.resize(nodes.size());
  out.tree.resize(nodes.size());
  out.children.resize(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    const auto columns =
        moving.subspan(static_cast<size_t>(nodes[i].first_channel),
                       static_cast<size_t>(nodes[i].channel_count));
    out.self[i] = std::find(columns.begin(), columns.end(), 1) != columns.end();
    out.tree[i] = out.tree[i] || out.self[i];
    if (!out.tree[i] || nodes[i].parent < 0) continue;
    out.tree[static_cast<size_t>(nodes[i].parent)] = true;
    ++out.children[static_cast<size_t>(nodes[i].parent)];
  }
  return out;
}

int32_t BodyRootOf(const Skeleton& skeleton, const Trunk& trunk,
                   const Stirs& stirs, JointPositions reading) {
  const std::vector<int32_t>& joints = trunk.joints;
  const auto root = static_cast<size_t>(joints[0]);
  size_t at = 0;
  if (!stirs.tree[root] && trunk.reaches_hips) at = joints.size() - 1;
  for (; stirs.tree[root] && at + 1 < joints.size(); ++at) {
    const auto here = static_cast<size_t>(joints[at]);
    const auto next = static_cast<size_t>(joints[at + 1]);
    const bool is_still = !stirs.self[here] && stirs.children[here] == 1;
    if (!is_still || !stirs.tree[next]) break;
  }
  while (!CanCarry(skeleton, joints[at], reading)) --at;
  return joints[at];
}

}  // namespace

bool HasPositionedJoint(const Skeleton& skeleton) {
  return std::any_of(skeleton.nodes.begin(), skeleton.nodes.end(),
                     [&](const Node& node) {
                       return node.kind == NodeKind::kJoint &&
                              HasThreePositions(skeleton, node);
                     });
}

std::vector<Trunk> FindTrunks(const Skeleton& skeleton) {
  const std::vector<Node>& nodes = skeleton.nodes;
  const std::vector<size_t> trees = TreesOf(nodes);
  std::vector<Trunk> trunks;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) trunks.push_back({{static_cast<int32_t>(i)}});
  }
  if (!HasPositionedJoint(skeleton)) return trunks;
  const int32_t hips = NodeOfRole(Recognize(skeleton), Role::kHips);
  if (const std::vector<int32_t> way = WayTo(nodes, hips); !way.empty()) {
    trunks[trees[static_cast<size_t>(hips)]] = {way, true};
  }
  // Parents come first, and at most one child has half of the joints or more.
  const std::vector<int32_t> joints = CountJoints(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Trunk& trunk = trunks[trees[i]];
    const auto root = static_cast<size_t>(trunk.joints[0]);
    if (trunk.reaches_hips || trunk.joints.size() == Trunk::kMost) continue;
    if (nodes[i].parent != trunk.joints.back()) continue;
    if (2 * joints[i] < joints[root]) continue;
    trunk.joints.push_back(static_cast<int32_t>(i));
  }
  return trunks;
}

bool CanCarry(const Skeleton& skeleton, int32_t node, JointPositions reading) {
  const Node& joint = skeleton.nodes[static_cast<size_t>(node)];
  if (joint.kind == NodeKind::kRoot) return true;
  return joint.kind == NodeKind::kJoint && reading != JointPositions::kIgnore &&
         HasThreePositions(skeleton, joint);
}

std::vector<uint8_t> MovingColumns(size_t columns,
                                   std::span<const float> values) {
  std::vector<uint8_t> moving(columns);
  for (size_t at = columns; at < values.size(); at += columns) {
    for (size_t i = 0; i < columns; ++i) {
      moving[i] |= values[at + i] != values[i] ? 1 : 0;
    }
  }
  return moving;
}

std::vector<int32_t> FindBodyRoots(const Skeleton& skeleton,
                                   std::span<const Trunk> trunks,
                                   std::span<const uint8_t> moving,
                                   JointPositions reading) {
  const Stirs stirs = FindStirs(skeleton, moving);
  std::vector<int32_t> body_roots;
  for (const Trunk& trunk : trunks) {
    body_roots.push_back(BodyRootOf(skeleton, trunk, stirs, reading));
  }
  return body_roots;
}

}  // namespace bvhmill
