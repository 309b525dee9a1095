#include "bvhmill/validate/skeleton_facts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace bvhmill {
namespace {

// Replaces `joints`, which are in file order, by those whose name is used by an
// earlier one.
void KeepRepeated(const std::vector<Node>& nodes,
                  std::vector<RepeatedName>* joints) {
  const auto name = [&](int32_t i) -> const std::string& {
    return nodes[static_cast<size_t>(i)].name;
  };
  std::sort(joints->begin(), joints->end(), [&](const auto& a, const auto& b) {
    const int order = name(a.joint).compare(name(b.joint));
    return order < 0 || (order == 0 && a.joint < b.joint);
  });
  size_t kept = 0;
  int32_t first = -1;
  for (const auto& [joint, unused] : *joints) {
    if (first < 0 || name(joint) != name(first)) {
      first = joint;
    } else {
      (*joints)[kept++] = {joint, first};
    }
  }
  joints->resize(kept);
  std::sort(joints->begin(), joints->end(),
            [](const auto& a, const auto& b) { return a.joint < b.joint; });
}

void FindRepeatedNames(const std::vector<Node>& nodes,
                       std::vector<RepeatedName>* out) {
  out->clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsEndSite(nodes[i])) out->push_back({static_cast<int32_t>(i), -1});
  }
  KeepRepeated(nodes, out);
}

int PositionAxes(const Skeleton& skeleton, const Node& node) {
  std::array<bool, 3> has = {};
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) has[static_cast<size_t>(AxisOf(channel))] = true;
  }
  return static_cast<int>(std::count(has.begin(), has.end(), true));
}

}  // namespace

float Length(const std::array<float, 3>& v) {
  return std::hypot(v[0], v[1], v[2]);
}

void FindFacts(const Skeleton& skeleton, SkeletonFacts* facts) {
  FindRepeatedNames(skeleton.nodes, &facts->repeated_names);
  facts->zero_length_bones.clear();
  facts->offset_roots.clear();
  facts->positioned_joints.clear();
  facts->positioned_nodes.clear();
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto index = static_cast<int32_t>(i);
    const bool has_length = Length(node.offset) > 0;
    if (node.kind == NodeKind::kRoot && Length(node.offset) != 0) {
      facts->offset_roots.push_back(index);
    }
    if (IsEndSite(node)) continue;
    const int axes = PositionAxes(skeleton, node);
    if (axes == 3) facts->positioned_nodes.push_back(index);
    if (node.kind != NodeKind::kJoint) continue;
    if (axes == 3) facts->positioned_joints.push_back(index);
    if (axes == 0 && !has_length) facts->zero_length_bones.push_back(index);
  }
  facts->body = MeasureBiped(skeleton);
  facts->reach = Reach(skeleton);
  facts->landmarks = FindLandmarks(skeleton);
  if (HasPositionedJoint(skeleton)) {
    facts->trunk = FindTrunks(skeleton)[0];
  } else {
    // Without allocations: the ROOT, if there is one.
    facts->trunk.joints.assign(skeleton.nodes.empty() ? 0 : 1, 0);
    facts->trunk.reaches_hips = false;
  }
  facts->mirror_pairs = FindMirrorPairs(skeleton);
}

}  // namespace bvhmill
