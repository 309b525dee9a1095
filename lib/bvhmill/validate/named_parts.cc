#include "bvhmill/validate/named_parts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "bvhmill/clip/bare_name.h"

namespace bvhmill {
namespace {

bool Has(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

// A joint above `node`, or itself, has one of the names.
bool IsBelow(const Skeleton& skeleton, int32_t node, std::string_view name,
             std::string_view other) {
  for (; node >= 0; node = skeleton.nodes[static_cast<size_t>(node)].parent) {
    const std::string own =
        PlainName(skeleton.nodes[static_cast<size_t>(node)]);
    if (Has(own, name) || Has(own, other)) return true;
  }
  return false;
}

}  // namespace

std::string PlainName(const Node& node) {
  std::string out(BareName(node.name));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool IsBelowHead(const Skeleton& skeleton, int32_t node) {
  const int32_t parent = skeleton.nodes[static_cast<size_t>(node)].parent;
  return IsBelow(skeleton, parent, "head", "head");
}

bool IsToe(const Node& node) {
  const std::string name = PlainName(node);
  return !IsEndSite(node) && (Has(name, "toe") || Has(name, "ball"));
}

bool IsFinger(const Skeleton& skeleton, int32_t node) {
  constexpr std::array<std::string_view, 7> kFingers = {
      "thumb", "index", "middle", "ring", "pinky", "little", "finger"};
  const std::string name = PlainName(skeleton.nodes[static_cast<size_t>(node)]);
  const bool is_named =
      std::any_of(kFingers.begin(), kFingers.end(),
                  [&](std::string_view finger) { return Has(name, finger); });
  return is_named && IsBelow(skeleton, node, "hand", "wrist");
}

}  // namespace bvhmill
