#include "bvhmill/skeletons/name_vocabulary.h"

#include <algorithm>
#include <tuple>

#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {
namespace {

// No known name is longer.
constexpr size_t kLongestName = 40;

bool IsMark(char c) { return c == ' ' || c == '_' || c == '-' || c == '.'; }

// Marks after which a name may begin.
bool EndsPrefix(char c) { return IsMark(c) || c == ':' || c == '|'; }

char Small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<KnownName> MakeNames() {
  std::vector<KnownName> all;
  int16_t scheme = 0;
  for (const NamingScheme& from : NamingSchemes()) {
    const auto add = [&](std::string_view name, Role role) {
      all.push_back({Fold(name), name, scheme, role});
    };
    for (size_t i = 0; i < from.names.size(); ++i) {
      for (const auto name : from.names[i]) add(name, static_cast<Role>(i));
    }
    for (const auto name : from.others) add(name, Role::kNone);
    ++scheme;
  }
  std::sort(all.begin(), all.end(), [](const KnownName& a, const KnownName& b) {
    return std::tie(a.folded, a.scheme, a.role) <
           std::tie(b.folded, b.scheme, b.role);
  });
  return all;
}

bool HasRole(std::string_view name) {
  const auto known = FindKnownNames(name);
  return std::any_of(known.begin(), known.end(), [](const KnownName& known) {
    return known.role != Role::kNone;
  });
}

}  // namespace

std::string Fold(std::string_view name) {
  std::string out;
  if (name.size() > kLongestName) return out;
  for (const char c : name) {
    if (!IsMark(c)) out.push_back(Small(c));
  }
  return out;
}

std::span<const KnownName> FindKnownNames(std::string_view name) {
  static const auto* const kNames = new std::vector<KnownName>(MakeNames());
  const std::string folded = Fold(name);
  if (folded.empty()) return {};
  const auto first = std::partition_point(
      kNames->begin(), kNames->end(),
      [&](const KnownName& known) { return known.folded < folded; });
  const auto last = std::partition_point(
      first, kNames->end(),
      [&](const KnownName& known) { return known.folded == folded; });
  return {first, last};
}

std::vector<size_t> PrefixLengths(std::string_view name) {
  std::vector<size_t> lengths;
  const size_t from =
      name.size() > kLongestName ? name.size() - kLongestName : 0;
  for (size_t i = from; i < name.size(); ++i) {
    if (i > 0 && !EndsPrefix(name[i - 1])) continue;
    if (HasRole(name.substr(i))) lengths.push_back(i);
  }
  for (const NamingScheme& scheme : NamingSchemes()) {
    for (const std::string_view prefix : scheme.prefixes) {
      if (prefix.empty() || EndsPrefix(prefix.back())) continue;
      if (!name.starts_with(prefix)) continue;
      if (HasRole(name.substr(prefix.size()))) lengths.push_back(prefix.size());
    }
  }
  return lengths;
}

}  // namespace bvhmill
