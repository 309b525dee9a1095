#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "bvhmill/skeletons/recognize.h"

namespace bvhmill {
namespace {

// The names of the roles that the joints have, in the scheme `to`; empty for a
// joint without one.
std::vector<std::string> NamesOfRoles(const NamingScheme& to,
                                      const Recognition& recognition) {
  std::vector<bool> has(IndexOf(Role::kChest) + 1);
  for (size_t i = 0; i < has.size(); ++i) {
    has[i] = NodeOfRole(recognition, static_cast<Role>(i)) >= 0;
  }
  const std::vector<Role> spine = PairSpines(has, to);
  std::vector<std::string> names;
  for (const Role role : recognition.roles) {
    const bool in_spine = role >= Role::kHips && role <= Role::kChest;
    names.push_back(
        NameOfRole(to, in_spine ? spine[static_cast<size_t>(role)] : role));
  }
  return names;
}

std::string_view WithoutPrefix(std::string_view name, std::string_view prefix) {
  const bool has_prefix =
      name.size() > prefix.size() && name.starts_with(prefix);
  return has_prefix ? name.substr(prefix.size()) : name;
}

// `name`, or the first of name_2, name_3, ... that is not in `taken`.
std::string FreeName(std::string_view name,
                     const std::set<std::string>& taken) {
  std::string free(name);
  for (int i = 2; taken.contains(free); ++i) {
    free = std::string(name) + "_" + std::to_string(i);
  }
  return free;
}

}  // namespace

std::vector<std::string> NamesIn(const NamingScheme& to,
                                 const Skeleton& skeleton,
                                 const Recognition& recognition) {
  std::vector<std::string> names = NamesOfRoles(to, recognition);
  std::set<std::string> taken(names.begin(), names.end());
  taken.erase("");
  for (size_t i = 0; i < names.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (IsEndSite(node)) continue;
    if (names[i].empty()) {
      names[i] = FreeName(WithoutPrefix(node.name, recognition.prefix), taken);
    }
    if (names[i] == node.name) names[i].clear();
  }
  return names;
}

}  // namespace bvhmill
