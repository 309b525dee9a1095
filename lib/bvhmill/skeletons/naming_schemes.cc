#include "bvhmill/skeletons/naming_schemes.h"

#include <algorithm>
#include <map>

namespace bvhmill {
namespace {

static_assert(MirrorRole(Role::kLeftThigh) == Role::kRightThigh);
static_assert(MirrorRole(Role::kRightToeTip) == Role::kLeftToeTip);

// The role of the left side for a role of either side.
constexpr Role LeftOf(Role role) {
  return IsRight(role) ? MirrorRole(role) : role;
}

constexpr bool IsTrunk(Role role) {
  return role >= Role::kHips && role <= Role::kHead;
}

// True if `above` is kNone, or a role of the trunk up to `highest`.
constexpr bool IsBelow(Role above, Role highest) {
  return above == Role::kNone || (IsTrunk(above) && above <= highest);
}

// MayFollow for roles of the left side; `above` may also be a role of the
// trunk.
bool MayFollowOnSide(Role role, Role above) {
  constexpr int kFirst = IndexOf(Role::kLeftThumb1);
  switch (role) {
    case Role::kLeftEye:
      return IsBelow(above, Role::kHead);
    case Role::kLeftClavicle:
      return IsBelow(above, Role::kNeck2);
    case Role::kLeftUpperArm:
      return above == Role::kLeftClavicle || IsBelow(above, Role::kNeck2);
    case Role::kLeftThigh:
      return IsBelow(above, Role::kSpine3);
    default:
      break;
  }
  const bool is_finger =
      role >= Role::kLeftThumb1 && role <= Role::kLeftLittle3;
  if (is_finger && (IndexOf(role) - kFirst) % 3 == 0) {
    return above == Role::kLeftHand;
  }
  return IndexOf(above) + 1 == IndexOf(role);
}

}  // namespace

bool MayFollow(Role role, Role above) {
  if (IsTrunk(role)) {
    return above == Role::kNone || (IsTrunk(above) && above < role);
  }
  if (role == Role::kHeadTop || role == Role::kJaw) {
    return IsBelow(above, Role::kHead);
  }
  const bool one_side =
      IsTrunk(above) || above == Role::kNone || IsLeft(role) == IsLeft(above);
  return one_side && MayFollowOnSide(LeftOf(role), LeftOf(above));
}

namespace {

std::vector<std::string_view> Split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The names in a cell, separated by '|'; none if the cell is empty.
std::vector<std::string_view> NamesOf(std::string_view cell) {
  return cell.empty() ? std::vector<std::string_view>() : Split(cell, '|');
}

// The rows of a table, without its heading. Its cells have no quotes.
std::vector<std::vector<std::string_view>> RowsOf(std::string_view csv) {
  std::vector<std::vector<std::string_view>> rows;
  for (const std::string_view line : Split(csv, '\n')) {
    if (!line.empty()) rows.push_back(Split(line, ','));
  }
  rows.erase(rows.begin());
  return rows;
}

struct Table {
  std::vector<NamingScheme> schemes;
  std::vector<std::string_view> roles;
  std::vector<RigRow> rigs;
};

Table MakeTable() {
  Table table;
  for (const auto& row : RowsOf(SchemesCsv())) {
    table.schemes.push_back({row[0], row[1], Split(row[2], '|'), {}, {}});
  }
  auto rows = RowsOf(SkeletonsCsv());
  const auto others = rows.back();
  rows.pop_back();
  for (const auto& row : rows) table.roles.push_back(row[0]);
  for (size_t i = 0; i < table.schemes.size(); ++i) {
    for (const auto& row : rows) {
      table.schemes[i].names.push_back(NamesOf(row[i + 1]));
    }
    table.schemes[i].others = NamesOf(others[i + 1]);
  }
  for (const auto& row : RowsOf(RigsCsv())) {
    table.rigs.push_back({row[0], row[1], row[2], row[3]});
  }
  return table;
}

// Parsed at the first call, never freed.
const Table& TheTable() {
  static const Table* const kTable = new Table(MakeTable());
  return *kTable;
}

constexpr int kSpineRoles = IndexOf(Role::kChest) + 1;

}  // namespace

std::span<const NamingScheme> NamingSchemes() { return TheTable().schemes; }

std::span<const RigRow> RigRows() { return TheTable().rigs; }

std::span<const std::string_view> RoleNames() { return TheTable().roles; }

const NamingScheme* FindNamingScheme(std::string_view name) {
  for (const NamingScheme& scheme : NamingSchemes()) {
    if (scheme.name == name) return &scheme;
  }
  return nullptr;
}

std::vector<std::string_view> NamingSchemeNames() {
  std::vector<std::string_view> names;
  for (const NamingScheme& scheme : NamingSchemes()) {
    names.push_back(scheme.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string NameOfRole(const NamingScheme& scheme, Role role) {
  if (role == Role::kNone) return {};
  const auto& names = scheme.names[static_cast<size_t>(role)];
  if (names.empty()) return {};
  return std::string(scheme.prefixes[0]).append(names[0]);
}

SpineRoles SpineOf(const NamingScheme& scheme) {
  SpineRoles spine;
  for (int i = 0; i < kSpineRoles; ++i) {
    spine.push_back(!NameOfRole(scheme, static_cast<Role>(i)).empty());
  }
  return spine;
}

std::vector<Role> PairSpines(const SpineRoles& from, const SpineRoles& to) {
  std::vector<Role> of;
  std::vector<Role> have;
  std::vector<Role> want;
  for (int i = 0; i < kSpineRoles; ++i) {
    const auto role = static_cast<Role>(i);
    of.push_back(role);
    if (role == Role::kHips) continue;
    if (from[static_cast<size_t>(i)]) have.push_back(role);
    if (to[static_cast<size_t>(i)]) want.push_back(role);
  }
  const bool is_folded = want.size() + 1 == of.size();
  if (is_folded || have.size() > want.size()) return of;
  for (size_t i = 0; i < have.size(); ++i) {
    of[static_cast<size_t>(have[i])] = want[i];
  }
  return of;
}

std::vector<JointMapRow> MapBetween(const NamingScheme& from,
                                    const NamingScheme& to) {
  const std::vector<Role> spine = PairSpines(SpineOf(from), SpineOf(to));
  // A name with several roles gets the last one.
  std::map<std::string, std::string> targets;
  for (size_t i = 0; i < from.names.size(); ++i) {
    const std::string target =
        NameOfRole(to, i < spine.size() ? spine[i] : static_cast<Role>(i));
    if (target.empty() || from.names[i].empty()) continue;
    for (const std::string_view prefix : from.prefixes) {
      for (const std::string_view name : from.names[i]) {
        targets[std::string(prefix).append(name)] = target;
      }
    }
  }
  std::vector<JointMapRow> rows;
  for (const auto& [source, target] : targets) {
    if (source != target) rows.push_back({source, target});
  }
  return rows;
}

}  // namespace bvhmill
