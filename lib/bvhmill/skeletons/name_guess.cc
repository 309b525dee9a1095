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
constexpr std::string_view kIdleWords[] = {
    "jnt", "joint", "bone", "bind", "def", "skel", "skin", "sk", "b",
    "j",   "c",     "m",    "x",    "mid", "grp",  "ctrl", "fk", "deform"};

// Words of no scheme, or of few: those of the left side stand for both.
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

// For each stem the roles that schemes give to it, the most frequent one last.
// Roles of the left side stand for both.
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

// As RolesOf for a side that is glued to the word.
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

}  // namespace

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

}  // namespace bvhmill
