#include "bvhmill/skeletons/recognize.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "bvhmill/skeletons/name_guess.h"
#include "bvhmill/skeletons/name_vocabulary.h"
#include "bvhmill/skeletons/role_tree.h"

namespace bvhmill {
namespace {

constexpr size_t kMostNamed = 1024;
constexpr int32_t kFewestRoles = 4;
constexpr int32_t kMixedRoles = 3;

// Joints that nearly all figures have.
constexpr Role kLimbs[] = {
    Role::kHips,          Role::kNeck,          Role::kHead,
    Role::kLeftUpperArm,  Role::kLeftForearm,   Role::kLeftHand,
    Role::kRightUpperArm, Role::kRightForearm,  Role::kRightHand,
    Role::kLeftThigh,     Role::kLeftShin,      Role::kLeftFoot,
    Role::kRightThigh,    Role::kRightShin,     Role::kRightFoot,
    Role::kLeftClavicle,  Role::kRightClavicle,
};

// A joint whose name is known or can be guessed.
struct NamedNode {
  int32_t node = 0;
  // The nearest one above, as an index; -1 if there is none.
  int32_t parent = -1;
  std::string_view name;
  std::span<const KnownName> meanings;
  std::vector<Role> guesses;
};

// True if the name is known, and has no role in any scheme.
bool IsOther(std::span<const KnownName> meanings) {
  return !meanings.empty() &&
         std::all_of(meanings.begin(), meanings.end(),
                     [](const KnownName& m) { return m.role == Role::kNone; });
}

// True for the trunk, arms and legs: a head with a neck and two eyes is no
// body.
bool IsMain(Role role) {
  const Role left = IsRight(role) ? MirrorRole(role) : role;
  return (role >= Role::kHips && role <= Role::kHead) ||
         (left >= Role::kLeftClavicle && left <= Role::kLeftHand) ||
         (left >= Role::kLeftThigh && left <= Role::kLeftToe);
}

// The prefix that most joints have; the shortest of several.
std::string_view FindPrefix(const std::vector<Node>& nodes) {
  std::map<std::string_view, int32_t> votes;
  size_t voters = 0;
  for (const Node& node : nodes) {
    if (IsEndSite(node)) continue;
    const auto lengths = PrefixLengths(node.name);
    if (lengths.empty()) continue;
    for (const size_t length : lengths) {
      ++votes[std::string_view(node.name).substr(0, length)];
    }
    if (++voters == kMostNamed) break;
  }
  std::string_view best;
  int32_t most = 0;
  for (const auto& [prefix, count] : votes) {
    if (count <= most) continue;
    most = count;
    best = prefix;
  }
  return best;
}

// The first joints with a known name; with `guess`, also those with a name that
// can be guessed.
std::vector<NamedNode> FindNamed(const std::vector<Node>& nodes,
                                 std::string_view prefix, bool guess) {
  std::vector<NamedNode> named;
  // For each node, the nearest named one at or above it.
  std::vector<int32_t> nearest;
  for (size_t i = 0; i < nodes.size() && named.size() < kMostNamed; ++i) {
    const int32_t parent = nodes[i].parent;
    nearest.push_back(parent < 0 ? -1 : nearest[static_cast<size_t>(parent)]);
    if (IsEndSite(nodes[i])) continue;
    std::string_view name = nodes[i].name;
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    const auto meanings = FindKnownNames(name);
    std::vector<Role> guesses;
    if (guess && !IsOther(meanings)) guesses = GuessRoles(name);
    if (meanings.empty() && guesses.empty()) continue;
    named.push_back({static_cast<int32_t>(i), nearest.back(), name, meanings,
                     std::move(guesses)});
    nearest.back() = static_cast<int32_t>(named.size()) - 1;
  }
  return named;
}

// A scheme, or all of them, tried on the joints.
struct Trial {
  // One for each named joint.
  std::vector<Role> roles;
  // Joints of trunk, arms and legs.
  int32_t with_role = 0;
  int32_t matched = 0;
  int32_t letter_by_letter = 0;
  // Roles of kLimbs that no joint has. Hips count three times: a figure without
  // them stays in its place.
  int32_t missing = 0;
  // The index of the scheme.
  int32_t scheme = -1;
};

bool IsBetter(const Trial& a, const Trial& b) {
  return std::tuple(a.matched, -a.missing, a.letter_by_letter, -a.scheme) >
         std::tuple(b.matched, -b.missing, b.letter_by_letter, -b.scheme);
}

std::vector<Role> RolesInScheme(const NamedNode& joint, size_t scheme) {
  std::vector<Role> roles;
  for (const KnownName& meaning : joint.meanings) {
    const bool is_of_scheme = static_cast<size_t>(meaning.scheme) == scheme;
    if (is_of_scheme && meaning.role != Role::kNone) {
      roles.push_back(meaning.role);
    }
  }
  return roles;
}

// `roles_of` gives the roles that a named joint may have.
template <typename GetRoles>
Trial Try(const std::vector<NamedNode>& named, GetRoles roles_of) {
  std::vector<Candidate> candidates;
  for (const NamedNode& joint : named) {
    candidates.push_back({joint.node, joint.parent, roles_of(joint)});
  }
  Trial trial;
  trial.roles = AssignRoles(candidates);
  trial.with_role = static_cast<int32_t>(
      std::count_if(trial.roles.begin(), trial.roles.end(), IsMain));
  trial.matched = static_cast<int32_t>(
      std::count_if(trial.roles.begin(), trial.roles.end(),
                    [](Role role) { return role != Role::kNone; }));
  for (const Role role : kLimbs) {
    const bool is_missing = std::find(trial.roles.begin(), trial.roles.end(),
                                      role) == trial.roles.end();
    if (is_missing) trial.missing += role == Role::kHips ? 3 : 1;
  }
  return trial;
}

Trial TryScheme(const std::vector<NamedNode>& named, size_t scheme) {
  Trial trial = Try(named, [&](const NamedNode& joint) {
    return RolesInScheme(joint, scheme);
  });
  for (size_t i = 0; i < named.size(); ++i) {
    bool is_other = false;
    for (const KnownName& meaning : named[i].meanings) {
      if (static_cast<size_t>(meaning.scheme) != scheme) continue;
      trial.letter_by_letter += meaning.name == named[i].name;
      is_other = is_other || meaning.role == Role::kNone;
    }
    trial.matched += is_other && trial.roles[i] == Role::kNone;
  }
  trial.scheme = static_cast<int32_t>(scheme);
  return trial;
}

// The number of joints that each scheme may name.
std::vector<int32_t> CountNames(const std::vector<NamedNode>& named) {
  std::vector<int32_t> counts(NamingSchemes().size());
  for (const NamedNode& joint : named) {
    int16_t last = -1;
    for (const KnownName& meaning : joint.meanings) {
      if (meaning.scheme != last) ++counts[static_cast<size_t>(meaning.scheme)];
      last = meaning.scheme;
    }
  }
  return counts;
}

// The trial of the best scheme; without roles if none fits.
Trial BestScheme(const std::vector<NamedNode>& named) {
  const std::vector<int32_t> counts = CountNames(named);
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  Trial best;
  best.missing = static_cast<int32_t>(std::size(kLimbs)) + 2;
  for (const size_t i : order) {
    if (counts[i] < std::max(kFewestRoles, best.matched)) break;
    Trial trial = TryScheme(named, i);
    if (trial.with_role < kFewestRoles || !IsBetter(trial, best)) continue;
    best = std::move(trial);
  }
  return best;
}

}  // namespace

Recognition Recognize(const Skeleton& skeleton) {
  Recognition out;
  out.joints = JointCount(skeleton);
  out.roles.assign(skeleton.nodes.size(), Role::kNone);
  const std::string_view prefix = FindPrefix(skeleton.nodes);
  std::vector<NamedNode> named = FindNamed(skeleton.nodes, prefix, false);
  Trial best = BestScheme(named);
  if (best.missing >= kMixedRoles) {
    std::vector<NamedNode> guessed = FindNamed(skeleton.nodes, prefix, true);
    Trial mixed =
        Try(guessed, [](const NamedNode& joint) { return joint.guesses; });
    if (mixed.missing + kMixedRoles <= best.missing) {
      best = std::move(mixed);
      named = std::move(guessed);
    }
  }
  if (best.with_role < kFewestRoles) return out;
  if (best.scheme >= 0) {
    out.scheme = &NamingSchemes()[static_cast<size_t>(best.scheme)];
  }
  out.prefix = prefix;
  out.matched = best.matched;
  for (size_t i = 0; i < named.size(); ++i) {
    out.roles[static_cast<size_t>(named[i].node)] = best.roles[i];
  }
  return out;
}

int32_t NodeOfRole(const Recognition& recognition, Role role) {
  const auto at =
      std::find(recognition.roles.begin(), recognition.roles.end(), role);
  return at == recognition.roles.end()
             ? -1
             : static_cast<int32_t>(at - recognition.roles.begin());
}

}  // namespace bvhmill
