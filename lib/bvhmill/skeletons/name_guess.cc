#include "bvhmill/skeletons/name_guess.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "bvhmill/skeletons/name_vocabulary.h"
#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {
namespace {

// Longer names are not looked at.
constexpr size_t kMostChars = 64;

enum class Side { kNone, kLeft, kRight };

// The words of a name that tell its role, and those that do not.
struct SideWord {
  std::string_view word;
  Side side;
};
constexpr SideWord kSideWords[] = {
    {"left", Side::kLeft},   {"l", Side::kLeft},  {"lft", Side::kLeft},
    {"right", Side::kRight}, {"r", Side::kRight}, {"rgt", Side::kRight},
};
constexpr std::string_view kIdleWords[] = {"jnt", "joint", "bone", "bind",
                                           "def", "skel",  "skin", "sk",
                                           "b",   "j",     "c",    "m"};

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

// For each stem the roles that schemes give to it, the most frequent one last.
// Those of the left side stand for both.
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

// As RolesOf for "lfoot": the side is the first letter.
std::vector<Role> RolesOfGlued(const std::string& text) {
  if (text.starts_with('l')) return RolesOf(text.substr(1), Side::kLeft);
  if (text.starts_with('r')) return RolesOf(text.substr(1), Side::kRight);
  return {};
}

}  // namespace

std::vector<Role> GuessRoles(std::string_view name) {
  if (name.size() > kMostChars) return {};
  const Stem stem = StemOf(name);
  for (size_t i = 0; i < stem.words.size(); ++i) {
    const std::string text = TextOf(stem, i);
    std::vector<Role> roles = RolesOf(text, stem.side);
    if (roles.empty() && stem.side == Side::kNone) roles = RolesOfGlued(text);
    if (!roles.empty()) return roles;
  }
  return {};
}

}  // namespace bvhmill
