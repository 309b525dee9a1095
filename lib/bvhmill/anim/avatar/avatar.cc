#include "bvhmill/anim/avatar/avatar.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace bvhmill {
namespace {

struct Row {
  std::string_view name;
  AvatarJointKind kind;
  std::string_view parent;
  std::string_view bvh_name;
  Vec3<float> rest;
  Vec3<float> end;
};

constexpr Row kRows[] = {
#define BVHMILL_AVATAR_JOINT(name, kind, parent, bvh_name, x, y, z, end_x, \
                             end_y, end_z)                                 \
  Row{name,     AvatarJointKind::kind, parent,                             \
      bvh_name, Vec3<float>{x, y, z},  Vec3<float>{end_x, end_y, end_z}},
#include "bvhmill/anim/avatar/avatar_table.inc"
#undef BVHMILL_AVATAR_JOINT
};

constexpr std::string_view kStates[] = {
#define BVHMILL_ANIMATION_STATE(name) name,
#include "bvhmill/anim/avatar/state_table.inc"
#undef BVHMILL_ANIMATION_STATE
};

constexpr int32_t FindRow(std::string_view name) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

constexpr auto MakeJoints() {
  std::array<AvatarJoint, std::size(kRows)> joints;
  for (size_t i = 0; i < joints.size(); ++i) {
    joints[i] = {kRows[i].name, kRows[i].kind, FindRow(kRows[i].parent),
                 kRows[i].rest, kRows[i].end};
  }
  return joints;
}

constexpr auto kJoints = MakeJoints();

using Names = std::unordered_map<std::string, int32_t>;

// Attachment points also have their names with underscores.
void AddAliases(int32_t joint, Names* names) {
  const Row& row = kRows[joint];
  std::string name(row.name);
  if (row.kind == AvatarJointKind::kBone) {
    names->emplace(name, joint);
    names->emplace("avatar_" + name, joint);
    if (!row.bvh_name.empty()) names->emplace(row.bvh_name, joint);
  } else if (name.find(' ') != name.npos) {
    std::replace(name.begin(), name.end(), ' ', '_');
    names->emplace(name, joint);
  }
}

Names MakeAliases() {
  Names names;
  for (size_t i = 0; i < kJoints.size(); ++i) {
    AddAliases(static_cast<int32_t>(i), &names);
  }
  return names;
}

Names MakeNames() {
  Names names = MakeAliases();
  for (size_t i = 0; i < kJoints.size(); ++i) {
    names.emplace(kJoints[i].name, static_cast<int32_t>(i));
  }
  return names;
}

int32_t Find(const Names& names, std::string_view name) {
  constexpr size_t kLongest = 64;
  if (name.size() > kLongest) return -1;
  const auto it = names.find(std::string(name));
  return it == names.end() ? -1 : it->second;
}

struct Sides {
  std::string_view left;
  std::string_view right;
};

// How names state the side: "mHipLeft", "LEFT_PEC", "L_HAND", "L Forearm".
constexpr Sides kSides[] = {
    {"Left", "Right"}, {"LEFT", "RIGHT"}, {"L_", "R_"}, {"L ", "R "}};

int32_t FindWith(std::string_view name, std::string_view from,
                 std::string_view to) {
  const size_t place = name.find(from);
  if (place == name.npos) return -1;
  if (from.size() == 2 && place != 0) return -1;
  std::string other(name);
  other.replace(place, from.size(), to);
  return FindAvatarJoint(other);
}

int32_t FindMirror(int32_t joint) {
  const std::string_view name = kJoints[joint].name;
  for (const auto& [left, right] : kSides) {
    const int32_t found =
        std::max(FindWith(name, left, right), FindWith(name, right, left));
    if (found >= 0) return found;
  }
  return joint;
}

constexpr char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// 8-4-4-4-12 hexadecimal digits. `name` must be in lower case.
bool IsUuid(std::string_view name) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(
      name.begin(), name.end(), kForm.begin(), kForm.end(),
      [](char c, char form) { return form == '-' ? c == '-' : IsHexDigit(c); });
}

}  // namespace

std::span<const AvatarJoint> AvatarJoints() { return kJoints; }

int32_t FindAvatarJoint(std::string_view name) {
  static const Names names = MakeNames();
  return Find(names, name);
}

int32_t FindAvatarAlias(std::string_view name) {
  static const Names names = MakeAliases();
  return Find(names, name);
}

int32_t MirrorJoint(int32_t joint) {
  static const std::vector<int32_t> mirrors = [] {
    std::vector<int32_t> all;
    for (size_t i = 0; i < kJoints.size(); ++i) {
      all.push_back(FindMirror(static_cast<int32_t>(i)));
    }
    return all;
  }();
  return mirrors[static_cast<size_t>(joint)];
}

bool IsKnownEmote(std::string_view name) {
  constexpr size_t kLongest = 64;
  if (name.size() > kLongest) return false;
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerCase);
  return IsUuid(lower) || std::find(std::begin(kStates), std::end(kStates),
                                    lower) != std::end(kStates);
}

}  // namespace bvhmill
