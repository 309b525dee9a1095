#include "bvhmill/validate/mirror_pairs.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bvhmill {
namespace {

constexpr std::string_view kSides[][2] = {
    {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsGap(char c) { return c == '_' || c == '.' || c == '-' || c == ' '; }

char OtherSide(char c) { return c == 'l' ? 'r' : c == 'L' ? 'R' : '\0'; }

// The name of the right joint, if `name` is that of a left one.
std::optional<std::string> MirrorName(const std::string& name) {
  std::string out = name;
  for (const auto& [left, right] : kSides) {
    const size_t at = name.find(left);
    if (at == std::string::npos) continue;
    return out.replace(at, left.size(), right);
  }
  if (name.size() < 2) return std::nullopt;
  // "lArm", "LArm", "l_arm"; but not "Lower".
  const char first = OtherSide(name[0]);
  if (first != '\0' && (IsGap(name[1]) || IsUpper(name[1]))) {
    out[0] = first;
    return out;
  }
  const char last = OtherSide(name.back());
  if (last != '\0' && IsGap(name[name.size() - 2])) {
    out.back() = last;
    return out;
  }
  // "lfoot". Most such names are not of a side: they have no other joint.
  if (name[0] == 'l' && IsLower(name[1])) {
    out[0] = 'r';
    return out;
  }
  return std::nullopt;
}

// For each node its first end site, or -1.
std::vector<int32_t> FirstEndSites(const std::vector<Node>& nodes) {
  std::vector<int32_t> ends(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsEndSite(nodes[i]) || nodes[i].parent < 0) continue;
    int32_t& end = ends[static_cast<size_t>(nodes[i].parent)];
    if (end < 0) end = static_cast<int32_t>(i);
  }
  return ends;
}

// Joints sorted by name; the first of each name. Not a hash table: names of a
// hostile file could collide.
class NameOrder {
 public:
  explicit NameOrder(const std::vector<Node>& nodes) : nodes_(nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!IsEndSite(nodes[i])) order_.push_back(static_cast<int32_t>(i));
    }
    std::sort(order_.begin(), order_.end(), [this](int32_t a, int32_t b) {
      const int order = NameOf(a).compare(NameOf(b));
      return order < 0 || (order == 0 && a < b);
    });
  }
  // The first joint of that name, or -1.
  int32_t Find(const std::string& name) const {
    const auto at = std::lower_bound(
        order_.begin(), order_.end(), name,
        [this](int32_t a, const std::string& b) { return NameOf(a) < b; });
    return at != order_.end() && NameOf(*at) == name ? *at : -1;
  }

 private:
  const std::string& NameOf(int32_t i) const {
    return nodes_[static_cast<size_t>(i)].name;
  }

  const std::vector<Node>& nodes_;
  std::vector<int32_t> order_;
};

}  // namespace

std::vector<MirrorPair> FindMirrorPairs(const Skeleton& skeleton) {
  const std::vector<Node>& nodes = skeleton.nodes;
  const NameOrder names(nodes);
  const std::vector<int32_t> ends = FirstEndSites(nodes);
  std::vector<MirrorPair> pairs;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto left = static_cast<int32_t>(i);
    const std::optional<std::string> mirror =
        IsEndSite(nodes[i]) ? std::nullopt : MirrorName(nodes[i].name);
    if (!mirror || names.Find(nodes[i].name) != left) continue;
    const int32_t right = names.Find(*mirror);
    if (right < 0) continue;
    pairs.push_back({left, right});
    const int32_t left_end = ends[i];
    const int32_t right_end = ends[static_cast<size_t>(right)];
    if (left_end >= 0 && right_end >= 0) pairs.push_back({left_end, right_end});
  }
  return pairs;
}

}  // namespace bvhmill
