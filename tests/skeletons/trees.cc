#include "tests/skeletons/trees.h"

#include <vector>

#include "tests/support/clips.h"

namespace bvhmill::testing {

Skeleton TreeOf(std::string_view tree) {
  SkeletonBuilder builder;
  // The joint above the next one; and, for each open bracket, that before it.
  int above = -1;
  std::vector<int> open;
  std::string name;
  int last = -1;
  const auto take = [&] {
    if (name.empty()) return;
    last = above < 0 ? builder.Root(name, "XYZzxy")
                     : builder.Joint(above, name, "zxy");
    name.clear();
  };
  for (const char c : tree) {
    if (c != '>' && c != '[' && c != '|' && c != ']') {
      name.push_back(c);
      continue;
    }
    take();
    if (c == '>') above = last;
    if (c == '[') {
      above = last;
      open.push_back(above);
    }
    if (c == '|') above = open.empty() ? -1 : open.back();
    if (c == ']') open.pop_back();
  }
  take();
  return builder.Build();
}

namespace {

void Append(const Skeleton& skeleton, int32_t above, std::string* out) {
  std::string inner;
  int children = 0;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent != above || IsEndSite(node)) continue;
    if (++children > 1) inner += "|";
    inner += node.name;
    Append(skeleton, static_cast<int32_t>(i), &inner);
  }
  if (above < 0) *out += inner;
  if (above >= 0 && children == 1) *out += ">" + inner;
  if (above >= 0 && children > 1) *out += "[" + inner + "]";
}

}  // namespace

std::string TreeText(const Skeleton& skeleton) {
  std::string out;
  Append(skeleton, -1, &out);
  return out;
}

}  // namespace bvhmill::testing
