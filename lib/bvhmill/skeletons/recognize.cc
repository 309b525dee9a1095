// Recognizes roles in four steps. The sections of this file:
//
// 1. Known names: the schemes and roles that a name of a joint may mean.
// 2. Guesses: the role by the words of a name, for names that no scheme has.
// 3. Assignment: chooses one role for each joint, so that the tree confirms as
//    many as possible.
// 4. Choice: tries each scheme, and the guesses of all schemes together.

#include "bvhmill/skeletons/recognize.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {
namespace {

// Known names.

// A name of a scheme.
struct KnownName {
  // The result of Fold.
  std::string folded;
  // The spelling of the table.
  std::string_view name;
  // Index into NamingSchemes().
  int16_t scheme = 0;
  // kNone for a name without a role.
  Role role = Role::kNone;
};

// No known name is longer.
constexpr size_t kLongestName = 40;

bool IsMark(char c) { return c == ' ' || c == '_' || c == '-' || c == '.'; }

// Marks after which a name may begin.
bool EndsPrefix(char c) { return IsMark(c) || c == ':' || c == '|'; }

char Small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// `name` in small letters, without blanks and the marks '_', '-' and '.'. Empty
// if `name` is longer than any known name.
std::string Fold(std::string_view name) {
  std::string out;
  if (name.size() > kLongestName) return out;
  for (const char c : name) {
    if (!IsMark(c)) out.push_back(Small(c));
  }
  return out;
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

// All meanings of `name`, which has no prefix: by scheme, then by role. O(log
// names). Points into a table that is never freed.
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

bool HasRole(std::string_view name) {
  const auto known = FindKnownNames(name);
  return std::any_of(known.begin(), known.end(), [](const KnownName& known) {
    return known.role != Role::kNone;
  });
}

// The lengths of the prefixes that `name` may have, 0 included: the text after
// each of them is a known name with a role.
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

// Guesses by the words of a name, for names that no scheme has: "Thigh_Left",
// "l_upleg_jnt", "BIND_R_knee".

// GuessRoles ignores longer names.
constexpr size_t kMostChars = 64;

enum class Side { kNone, kLeft, kRight };

// Words that state a side.
struct SideWord {
  std::string_view word;
  Side side;
};
constexpr SideWord kSideWords[] = {
    {"left", Side::kLeft},   {"l", Side::kLeft},  {"lft", Side::kLeft},
    {"right", Side::kRight}, {"r", Side::kRight}, {"rgt", Side::kRight},
};
// Words without a meaning for the role.
constexpr std::string_view kIdleWords[] = {
    "jnt", "joint", "bone", "bind", "def", "skel", "skin", "sk", "b",
    "j",   "c",     "m",    "x",    "mid", "grp",  "ctrl", "fk", "deform"};

// Words that no scheme or few schemes have. Roles of the left side stand for
// both sides.
struct RoleWord {
  std::string_view word;
  Role role;
};
constexpr RoleWord kMoreWords[] = {
    {"midhip", Role::kHips},
    {"cog", Role::kHips},
    {"centerofmass", Role::kHips},
    {"lowertorso", Role::kHips},
    {"lowerbody", Role::kHips},
    {"waist", Role::kSpine1},
    {"belly", Role::kSpine1},
    {"stomach", Role::kSpine1},
    {"lowerspine", Role::kSpine1},
    {"spinelower", Role::kSpine1},
    {"lumbar", Role::kSpine1},
    {"torso", Role::kSpine1},
    {"midspine", Role::kSpine2},
    {"middlespine", Role::kSpine2},
    {"spinemiddle", Role::kSpine2},
    {"spinemid", Role::kSpine2},
    {"uppertorso", Role::kChest},
    {"upperbody", Role::kChest},
    {"upperspine", Role::kChest},
    {"spineupper", Role::kChest},
    {"thorax", Role::kChest},
    {"ribs", Role::kChest},
    {"ribcage", Role::kChest},
    {"sternum", Role::kChest},
    {"lowerneck", Role::kNeck},
    {"neckbase", Role::kNeck},
    {"cervical", Role::kNeck},
    {"skull", Role::kHead},
    {"forehead", Role::kHead},
    {"headcenter", Role::kHead},
    {"scapula", Role::kLeftClavicle},
    {"collarbone", Role::kLeftClavicle},
    {"clav", Role::kLeftClavicle},
    {"uparm", Role::kLeftUpperArm},
    {"uarm", Role::kLeftUpperArm},
    {"armupper", Role::kLeftUpperArm},
    {"armstretch", Role::kLeftUpperArm},
    {"bicep", Role::kLeftUpperArm},
    {"humerus", Role::kLeftUpperArm},
    {"shoulder", Role::kLeftUpperArm},
    {"lowarm", Role::kLeftForearm},
    {"loarm", Role::kLeftForearm},
    {"armlower", Role::kLeftForearm},
    {"forearmstretch", Role::kLeftForearm},
    {"radius", Role::kLeftForearm},
    {"ulna", Role::kLeftForearm},
    {"palm", Role::kLeftHand},
    {"handwrist", Role::kLeftHand},
    {"uleg", Role::kLeftThigh},
    {"legupper", Role::kLeftThigh},
    {"thighstretch", Role::kLeftThigh},
    {"femur", Role::kLeftThigh},
    {"upperthigh", Role::kLeftThigh},
    {"lowleg", Role::kLeftShin},
    {"loleg", Role::kLeftShin},
    {"leglower", Role::kLeftShin},
    {"legstretch", Role::kLeftShin},
    {"tibia", Role::kLeftShin},
    {"crus", Role::kLeftShin},
    {"footankle", Role::kLeftFoot},
    {"heel", Role::kLeftFoot},
    {"ball", Role::kLeftToe},
    {"toes", Role::kLeftToe},
    {"football", Role::kLeftToe},
    {"forefoot", Role::kLeftToe},
    {"metatarsal", Role::kLeftToe},
    // Chinese.
    {"骨盆", Role::kHips},
    {"腰", Role::kSpine1},
    {"脊椎", Role::kSpine1},
    {"脊椎1", Role::kSpine2},
    {"胸部", Role::kChest},
    {"胸", Role::kChest},
    {"脖子", Role::kNeck},
    {"头部", Role::kHead},
    {"头", Role::kHead},
    {"肩", Role::kLeftClavicle},
    {"上臂", Role::kLeftUpperArm},
    {"前臂", Role::kLeftForearm},
    {"手", Role::kLeftHand},
    {"大腿", Role::kLeftThigh},
    {"小腿", Role::kLeftShin},
    {"脚", Role::kLeftFoot},
    {"脚趾", Role::kLeftToe},
    // Japanese, as figures of MikuMikuDance.
    {"センター", Role::kHips},
    {"上半身", Role::kSpine1},
    {"上半身2", Role::kChest},
    {"首", Role::kNeck},
    {"頭", Role::kHead},
    {"腕", Role::kLeftUpperArm},
    {"ひじ", Role::kLeftForearm},
    {"手首", Role::kLeftHand},
    {"足", Role::kLeftThigh},
    {"ひざ", Role::kLeftShin},
    {"足首", Role::kLeftFoot},
    {"つま先", Role::kLeftToe},
};

// Sides that may be glued to a word: "leftuparm", "thighleft".
constexpr SideWord kGluedSides[] = {
    {"left", Side::kLeft}, {"right", Side::kRight}, {"l", Side::kLeft},
    {"r", Side::kRight},   {"左", Side::kLeft},     {"右", Side::kRight}};

bool IsBig(char c) { return c >= 'A' && c <= 'Z'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }

// True if a word ends before name[i].
bool BeginsWord(std::string_view name, size_t i) {
  if (!IsBig(name[i]) || i == 0) return false;
  const bool next_is_small = i + 1 < name.size() && IsSmall(name[i + 1]);
  return !IsBig(name[i - 1]) || next_is_small;
}

// The words of a name in small letters.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string letter = Fold(name.substr(i, 1));
    const bool is_mark = letter.empty() || letter == ":" || letter == "|";
    if (is_mark || BeginsWord(name, i)) words.emplace_back();
    if (!is_mark) words.back() += letter;
  }
  std::erase(words, "");
  return words;
}

// A name without its side and without idle words.
struct Stem {
  Side side = Side::kNone;
  std::vector<std::string> words;
};

Stem StemOf(std::string_view name) {
  Stem stem;
  for (const std::string& word : WordsOf(name)) {
    const auto* const side =
        std::find_if(std::begin(kSideWords), std::end(kSideWords),
                     [&](const SideWord& known) { return known.word == word; });
    if (side != std::end(kSideWords) && stem.side == Side::kNone) {
      stem.side = side->side;
    } else if (std::find(std::begin(kIdleWords), std::end(kIdleWords), word) ==
               std::end(kIdleWords)) {
      stem.words.push_back(word);
    }
  }
  return stem;
}

// The words of a stem from `first` on, as one.
std::string TextOf(const Stem& stem, size_t first) {
  std::string text;
  for (size_t i = first; i < stem.words.size(); ++i) text += stem.words[i];
  return text;
}

// For each stem its roles in all schemes, the most frequent one last. Roles of
// the left side stand for both sides.
using Stems = std::map<std::string, std::vector<Role>, std::less<>>;

Stems MakeStems() {
  std::map<std::string, std::map<Role, int>> votes;
  for (const NamingScheme& scheme : NamingSchemes()) {
    for (int i = 0; i < IndexOf(Role::kRightEye); ++i) {
      const auto role = static_cast<Role>(i);
      for (const auto name : scheme.names[static_cast<size_t>(i)]) {
        const Stem stem = StemOf(name);
        if ((stem.side == Side::kLeft) == IsLeft(role)) {
          ++votes[TextOf(stem, 0)][role];
        }
      }
    }
  }
  for (const RoleWord& more : kMoreWords) {
    ++votes[std::string(more.word)][more.role];
  }
  Stems stems;
  for (const auto& [text, roles] : votes) {
    std::vector<std::pair<int, Role>> sorted;
    for (const auto& [role, count] : roles) sorted.emplace_back(count, role);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [count, role] : sorted) stems[text].push_back(role);
  }
  return stems;
}

std::vector<Role> RolesOf(const std::string& text, Side side) {
  static const auto* const kStems = new Stems(MakeStems());
  const auto found = kStems->find(text);
  std::vector<Role> roles;
  if (found == kStems->end()) return roles;
  for (const Role role : found->second) {
    if (IsLeft(role) != (side != Side::kNone)) continue;
    roles.push_back(side == Side::kRight ? MirrorRole(role) : role);
  }
  return roles;
}

// RolesOf for a word with the side glued to it.
std::vector<Role> RolesOfGlued(std::string_view text) {
  for (const SideWord& glued : kGluedSides) {
    const size_t length = glued.word.size();
    if (text.size() <= length) continue;
    std::vector<Role> roles;
    if (text.starts_with(glued.word)) {
      roles = RolesOf(std::string(text.substr(length)), glued.side);
    }
    if (roles.empty() && text.ends_with(glued.word)) {
      roles = RolesOf(std::string(text.substr(0, text.size() - length)),
                      glued.side);
    }
    if (!roles.empty()) return roles;
  }
  return {};
}

std::vector<Role> RolesOfStem(const Stem& stem) {
  for (size_t i = 0; i < stem.words.size(); ++i) {
    const std::string text = TextOf(stem, i);
    std::vector<Role> roles = RolesOf(text, stem.side);
    if (roles.empty() && stem.side == Side::kNone) roles = RolesOfGlued(text);
    if (!roles.empty()) return roles;
  }
  return {};
}

bool IsNumber(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

// The roles of names of the same words in all schemes: the side ("left", "l"),
// which may stand anywhere, and the rest in its order, without words such as
// "joint", and without first words that no scheme knows. The role of most
// schemes is the last one. Empty if no scheme has such a name. O(length of the
// name), of 64 bytes at most.
std::vector<Role> GuessRoles(std::string_view name) {
  if (name.size() > kMostChars) return {};
  Stem stem = StemOf(name);
  std::vector<Role> roles = RolesOfStem(stem);
  // "left_shoulder_1"
  if (roles.empty() && stem.words.size() > 1 && IsNumber(stem.words.back())) {
    stem.words.pop_back();
    roles = RolesOfStem(stem);
  }
  return roles;
}

// Assignment: chooses for each joint one of the roles that its name may mean,
// so that the tree confirms as many as possible.

// A joint that may have a role.
struct Candidate {
  int32_t node = 0;
  // Index of the nearest candidate above, always smaller; -1 if there is none.
  int32_t parent = -1;
  // The roles that its name may mean. Among equally good roles the last wins.
  std::vector<Role> roles;
};

// A state is the role of the nearest joint above that has one, as an index: 0
// if none has.
constexpr size_t kStates = static_cast<size_t>(Role::kBodyRoles) + 1;
size_t StateOf(Role role) { return static_cast<size_t>(IndexOf(role) + 1); }
Role RoleOf(size_t state) {
  return static_cast<Role>(static_cast<int>(state) - 1);
}

// For each state above: the largest number of joints that can get a role.
using Counts = std::array<int32_t, kStates>;

// The state below a joint that has `role`.
size_t StateBelow(Role role, size_t above) {
  return IsBodyRole(role) ? StateOf(role) : above;
}

bool IsConfirmed(Role role, size_t above) {
  return !IsBodyRole(role) || MayFollow(role, RoleOf(above));
}

// The best role of a joint below the state `above`, or kNone. `below` counts
// the joints below it.
Role BestRole(const Candidate& candidate, const Counts& below, size_t above) {
  Role best = Role::kNone;
  int32_t most = below[above];
  for (const Role role : candidate.roles) {
    if (!IsConfirmed(role, above)) continue;
    const int32_t count = 1 + below[StateBelow(role, above)];
    if (count < most) continue;
    most = count;
    best = role;
  }
  return best;
}

// For each candidate, the counts of the joints below it.
std::vector<Counts> CountBelow(const std::vector<Candidate>& candidates) {
  std::vector<Counts> below(candidates.size(), Counts{});
  for (size_t i = candidates.size(); i-- > 0;) {
    if (candidates[i].parent < 0) continue;
    Counts& parent = below[static_cast<size_t>(candidates[i].parent)];
    for (size_t above = 0; above < kStates; ++above) {
      const Role role = BestRole(candidates[i], below[i], above);
      parent[above] += role == Role::kNone
                           ? below[i][above]
                           : 1 + below[i][StateBelow(role, above)];
    }
  }
  return below;
}

// The role of each candidate; kNone if the joints above do not confirm it. As
// many candidates as possible get a role; if two get the same, the first keeps
// it. Memory: 260 bytes for each candidate. O(candidates x roles).
std::vector<Role> AssignRoles(const std::vector<Candidate>& candidates) {
  const std::vector<Counts> below = CountBelow(candidates);
  std::vector<size_t> states;
  std::vector<Role> roles;
  std::set<Role> taken;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int32_t parent = candidates[i].parent;
    const size_t above = parent < 0 ? 0 : states[static_cast<size_t>(parent)];
    Role role = BestRole(candidates[i], below[i], above);
    states.push_back(role == Role::kNone ? above : StateBelow(role, above));
    if (role != Role::kNone && !taken.insert(role).second) role = Role::kNone;
    roles.push_back(role);
  }
  return roles;
}

// Choice of the scheme.

// Only the first joints with a known name are read.
constexpr size_t kMostNamed = 1024;
// A scheme must have a role for at least this number of joints of trunk, arms
// and legs.
constexpr int32_t kFewestRoles = 4;
// Guesses replace a scheme if they reduce Trial::missing by this number.
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

// True for the trunk, arms and legs: a head with a neck and two eyes is not a
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
  // Joints of trunk, arms and legs that have a role.
  int32_t with_role = 0;
  // Joints that have a role, or another name of the scheme.
  int32_t matched = 0;
  // Names that are equal to those of the scheme letter by letter.
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

// `roles_of` returns the roles that a named joint may have.
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

// Renaming.

// The names of the roles that the joints have, in the scheme `to`; empty for a
// joint without one.
std::vector<std::string> NamesOfRoles(const NamingScheme& to,
                                      const Recognition& recognition) {
  const std::vector<Role> spine = PairSpines(SpineOf(recognition), SpineOf(to));
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

SpineRoles SpineOf(const Recognition& recognition) {
  SpineRoles spine(IndexOf(Role::kChest) + 1);
  for (size_t i = 0; i < spine.size(); ++i) {
    spine[i] = NodeOfRole(recognition, static_cast<Role>(i)) >= 0;
  }
  return spine;
}

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
