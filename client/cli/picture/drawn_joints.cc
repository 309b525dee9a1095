#include "client/cli/picture/drawn_joints.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bvhmill::client {
namespace {

size_t At(int32_t index) { return static_cast<size_t>(index); }

std::vector<int32_t> ChildCounts(const JointList& joints) {
  std::vector<int32_t> counts(joints.size(), 0);
  for (const JointInfo& joint : joints) {
    if (joint.parent >= 0) ++counts[At(joint.parent)];
  }
  return counts;
}

// True for the joints of a tree that branches which are above its first branch.
std::vector<bool> CarriersOf(const JointList& joints) {
  const std::vector<int32_t> children = ChildCounts(joints);
  std::vector<bool> is_above(joints.size(), false);
  std::vector<bool> branches_below(joints.size(), false);
  // Children come after their parents.
  for (size_t i = joints.size(); i-- > 0;) {
    if (children[i] > 1) branches_below[i] = true;
    const int32_t parent = joints[i].parent;
    if (branches_below[i] && parent >= 0) branches_below[At(parent)] = true;
  }
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = joints[i].parent;
    const bool is_top = parent < 0 || is_above[At(parent)];
    is_above[i] = is_top && children[i] == 1 && branches_below[i];
  }
  return is_above;
}

float LengthOf(const JointInfo& joint) {
  const auto& [x, y, z] = joint.offset;
  const float length = std::hypot(x, y, z);
  return std::isfinite(length) ? length : 0;
}

// The joints to draw, ascending.
std::vector<int32_t> Chosen(const JointList& joints, size_t most) {
  const std::vector<bool> is_carrier = CarriersOf(joints);
  // Without the topmost joints, the others would have nothing to be joined to.
  const auto priority = [&](int32_t i) {
    const int32_t parent = joints[At(i)].parent;
    const bool is_top = parent < 0 || is_carrier[At(parent)];
    return is_top ? std::numeric_limits<float>::infinity()
                  : LengthOf(joints[At(i)]);
  };
  std::vector<int32_t> chosen;
  for (size_t i = 0; i < joints.size(); ++i) {
    if (!is_carrier[i]) chosen.push_back(static_cast<int32_t>(i));
  }
  if (chosen.size() > most) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](int32_t a, int32_t b) {
      return priority(a) > priority(b);
    });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

}  // namespace

DrawnJoints ChooseDrawnJoints(const JointList& joints, size_t most) {
  DrawnJoints out;
  out.joints = Chosen(joints, most);
  // The nearest drawn joint of each joint, itself included, as its place in
  // `out.joints`.
  std::vector<int32_t> nearest(joints.size(), -1);
  size_t next = 0;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = joints[i].parent;
    const int32_t above = parent < 0 ? -1 : nearest[At(parent)];
    nearest[i] = above;
    if (next == out.joints.size() || At(out.joints[next]) != i) continue;
    out.parents.push_back(above);
    nearest[i] = static_cast<int32_t>(next++);
  }
  return out;
}

}  // namespace bvhmill::client
