#include "bvhmill/validate/floor/landmarks.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

constexpr double kJudgedRate = 30;
// Rounded frame times state rates that are up to this factor too low.
constexpr double kRateSlack = 1.01;
// An issue names a judged frame, which must be near the frame of the fault.
constexpr double kMostStep = 5;

bool IsFootName(const std::string& name) {
  return name.find("foot") != std::string::npos ||
         name.find("ankle") != std::string::npos ||
         name.find("toe") != std::string::npos;
}

// By node: the topmost foot joint at or above it, or -1; and its root.
struct Ancestry {
  std::vector<int32_t> foot;
  std::vector<int32_t> root;
};

Ancestry AncestryOf(const Skeleton& skeleton) {
  Ancestry out;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto index = static_cast<int32_t>(i);
    const auto parent = static_cast<size_t>(node.parent);
    out.root.push_back(node.parent < 0 ? index : out.root[parent]);
    const int32_t above = node.parent < 0 ? -1 : out.foot[parent];
    const bool is_foot = !IsEndSite(node) && IsFootName(PlainName(node));
    out.foot.push_back(above >= 0 || !is_foot ? above : index);
  }
  return out;
}

// Adds `node` to the foot that begins at `top`. Begins a new foot if there is
// none yet and the feet are fewer than kMostFeet.
void AddToFoot(int32_t top, int32_t node, std::vector<int32_t>* tops,
               std::vector<std::vector<int32_t>>* feet) {
  const auto at = std::find(tops->begin(), tops->end(), top);
  const auto index = static_cast<size_t>(at - tops->begin());
  if (at == tops->end()) {
    if (tops->size() == Landmarks::kMostFeet) return;
    tops->push_back(top);
    feet->emplace_back();
  }
  std::vector<int32_t>& foot = (*feet)[index];
  if (foot.size() < Landmarks::kMostFootNodes) foot.push_back(node);
}

int32_t FindHead(const Skeleton& skeleton, const Ancestry& ancestry,
                 int32_t root) {
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (ancestry.root[i] == root && !IsEndSite(node) &&
        PlainName(node).find("head") != std::string::npos) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

// Marks `node` and the nodes above it.
void Mark(const Skeleton& skeleton, int32_t node, std::vector<bool>* marked) {
  while (node >= 0 && !(*marked)[static_cast<size_t>(node)]) {
    (*marked)[static_cast<size_t>(node)] = true;
    node = skeleton.nodes[static_cast<size_t>(node)].parent;
  }
}

// Replaces the indices of the skeleton by those of `nodes`, which is sorted.
void Reindex(const std::vector<int32_t>& nodes, int32_t* index) {
  const auto at = std::lower_bound(nodes.begin(), nodes.end(), *index);
  *index = static_cast<int32_t>(at - nodes.begin());
}

}  // namespace

int64_t LandmarkStep(double dt) {
  const double frames = kRateSlack / (kJudgedRate * dt);
  return static_cast<int64_t>(std::clamp(frames, 1.0, kMostStep));
}

Landmarks FindLandmarks(const Skeleton& skeleton) {
  const Ancestry ancestry = AncestryOf(skeleton);
  Landmarks out;
  std::vector<int32_t> tops;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const int32_t top = ancestry.foot[i];
    if (top < 0) continue;
    // The figure is the root of the first foot.
    if (tops.empty() ||
        ancestry.root[i] == ancestry.root[static_cast<size_t>(tops[0])]) {
      AddToFoot(top, static_cast<int32_t>(i), &tops, &out.feet);
    }
  }
  if (tops.empty()) return {};
  out.head =
      FindHead(skeleton, ancestry, ancestry.root[static_cast<size_t>(tops[0])]);
  std::vector<bool> marked(skeleton.nodes.size());
  for (const auto& foot : out.feet) {
    for (const int32_t node : foot) Mark(skeleton, node, &marked);
  }
  if (out.head >= 0) Mark(skeleton, out.head, &marked);
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i]) out.nodes.push_back(static_cast<int32_t>(i));
  }
  if (out.nodes.size() > skeleton.channels.size()) return {};
  for (auto& foot : out.feet) {
    for (int32_t& node : foot) Reindex(out.nodes, &node);
  }
  if (out.head >= 0) Reindex(out.nodes, &out.head);
  return out;
}

Skeleton LandmarkSkeleton(const Skeleton& skeleton,
                          const Landmarks& landmarks) {
  Skeleton out;
  out.channels = skeleton.channels;
  out.nodes.reserve(landmarks.nodes.size());
  for (const int32_t node : landmarks.nodes) {
    out.nodes.push_back(skeleton.nodes[static_cast<size_t>(node)]);
    int32_t& parent = out.nodes.back().parent;
    if (parent >= 0) Reindex(landmarks.nodes, &parent);
  }
  return out;
}

}  // namespace bvhmill
