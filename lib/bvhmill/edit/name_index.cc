#include "bvhmill/edit/name_index.h"

#include <algorithm>
#include <charconv>

#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/bare_name.h"

namespace bvhmill {
namespace {

// The joints whose names begin with `prefix`; if `whole`, those whose names
// equal it.
std::span<const NamedJoint> Range(const NameIndex& index,
                                  std::string_view prefix, bool whole) {
  const auto head = [&](const NamedJoint& joint) {
    return whole ? joint.name : joint.name.substr(0, prefix.size());
  };
  const auto first = std::partition_point(
      index.joints.begin(), index.joints.end(),
      [&](const NamedJoint& joint) { return head(joint) < prefix; });
  const auto last = std::partition_point(
      first, index.joints.end(),
      [&](const NamedJoint& joint) { return head(joint) == prefix; });
  return {first, last};
}

// As FindName, of a name as it is shown.
std::span<const NamedJoint> FindShown(const NameIndex& index,
                                      std::string_view name) {
  const auto all = Range(index, name, /*whole=*/true);
  const size_t mark = name.rfind('#');
  if (!all.empty() || mark == name.npos) return all;
  const std::string_view digits = name.substr(mark + 1);
  size_t which = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), which);
  const auto same = Range(index, name.substr(0, mark), /*whole=*/true);
  const bool numbered =
      error == std::errc() && end == digits.data() + digits.size();
  if (!numbered || which < 1 || which > same.size()) return {};
  return same.subspan(which - 1, 1);
}

}  // namespace

void FirstNames::Add(std::string_view name) {
  constexpr int64_t kShown = 3;
  if (++count <= kShown) {
    text.append(text.empty() ? "" : ", ").append(Quote(name));
  } else if (count == kShown + 1) {
    text.append(", ...");
  }
}

NameIndex MakeNameIndex(const Skeleton& skeleton, bool bare) {
  NameIndex index;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (IsEndSite(node)) continue;
    std::string_view name = node.name;
    if (!IsUtf8(name)) name = index.decoded.emplace_back(ToUtf8(name));
    index.joints.push_back(
        {bare ? BareName(name) : name, static_cast<int32_t>(i)});
  }
  std::sort(index.joints.begin(), index.joints.end(),
            [](const NamedJoint& a, const NamedJoint& b) {
              return a.name != b.name ? a.name < b.name : a.node < b.node;
            });
  return index;
}

std::span<const NamedJoint> FindName(const NameIndex& index,
                                     std::string_view name) {
  return FindShown(index, ToUtf8(name));
}

std::span<const NamedJoint> FindPattern(const NameIndex& index,
                                        std::string_view pattern) {
  const std::string shown = ToUtf8(pattern);
  const auto named = FindShown(index, shown);
  if (!named.empty() || !shown.ends_with('*')) return named;
  const std::string_view prefix(shown.data(), shown.size() - 1);
  return Range(index, prefix, /*whole=*/false);
}

}  // namespace bvhmill
