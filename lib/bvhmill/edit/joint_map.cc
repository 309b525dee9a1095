#include "bvhmill/edit/joint_map.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/skeletons/naming_schemes.h"

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

absl::Status NoSuchJoint(std::string_view field, std::string_view name,
                         const NameIndex& index) {
  // Bounds the time: a comparison takes the product of both lengths.
  constexpr size_t kMaxName = 64;
  constexpr size_t kMaxJoints = 1000;
  std::vector<std::string_view> known;
  for (const NamedJoint& joint : index.joints) {
    if (name.size() > kMaxName || known.size() == kMaxJoints) break;
    known.push_back(joint.name);
  }
  const std::string_view nearest = Nearest(name, known);
  return InvalidField(
      field,
      "no joint of the clip is " + Quote(name) +
          (nearest.empty() ? "" : "; did you mean " + Quote(nearest) + "?"));
}

// Joint maps.

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

absl::Status LineError(size_t line, std::string_view why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "line " + std::to_string(line) + ": " + std::string(why));
}

// Removes a quoted field from the front of `rest`; false if the field has no
// closing quote.
bool TakeQuoted(std::string_view* rest, std::string* field) {
  rest->remove_prefix(1);
  while (true) {
    const size_t quote = rest->find('"');
    if (quote == rest->npos) return false;
    field->append(rest->substr(0, quote));
    rest->remove_prefix(quote + 1);
    if (!rest->starts_with('"')) return true;
    field->push_back('"');
    rest->remove_prefix(1);
  }
}

// Splits a line, without its line end, into fields; false if its quotes are
// wrong.
bool SplitLine(std::string_view rest, std::vector<std::string>* fields) {
  while (true) {
    rest = Trim(rest);
    std::string field;
    if (rest.starts_with('"') && !TakeQuoted(&rest, &field)) return false;
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view bare = Trim(rest.substr(0, comma));
    if (!field.empty() && !bare.empty()) return false;
    fields->push_back(field.empty() ? std::string(bare) : std::move(field));
    if (comma == rest.size()) return true;
    rest.remove_prefix(comma + 1);
  }
}

absl::Status ParseLine(const TableForm& form, std::string_view text,
                       size_t line, JointMapRow* row) {
  std::vector<std::string> fields;
  if (!SplitLine(text, &fields)) return LineError(line, "a quote is wrong");
  if (fields.size() != 2) {
    return LineError(
        line, std::to_string(fields.size()) +
                  " fields where 2 are wanted: " + std::string(form.heading));
  }
  if (fields[0].empty()) {
    const std::string_view first =
        form.heading.substr(0, form.heading.find(','));
    return LineError(line, "no " + std::string(first));
  }
  *row = {std::move(fields[0]), std::move(fields[1])};
  const absl::Status good = form.check(*row);
  return good.ok() ? good : LineError(line, MessageOf(good));
}

std::string KnownMaps() {
  std::string out;
  for (const std::string_view name : JointMapNames()) {
    out.append(out.empty() ? "" : ", ").append(name);
  }
  return out;
}

}  // namespace

std::vector<std::string_view> JointMapNames() { return NamingSchemeNames(); }

absl::StatusOr<std::vector<JointMapRow>> FindJointMap(std::string_view name) {
  const NamingScheme* const scheme = FindNamingScheme(name);
  if (scheme != nullptr) {
    return MapBetween(*scheme, *FindNamingScheme(kAvatarScheme));
  }
  return InvalidField("options.edits.joint_map",
                      Quote(name) + " is not built in; there are " +
                          KnownMaps() + DidYouMean(name, JointMapNames()));
}

absl::Status CheckNamesTo(std::string_view name) {
  if (name.empty() || FindNamingScheme(name) != nullptr) {
    return absl::OkStatus();
  }
  return InvalidField("options.edits.names_to",
                      Quote(name) + " is no naming scheme; there are " +
                          KnownMaps() + DidYouMean(name, JointMapNames()));
}

absl::StatusOr<std::vector<JointMapRow>> ParseTable(const TableForm& form,
                                                    std::string_view csv) {
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  std::vector<JointMapRow> rows;
  std::set<std::string> sources;
  bool headed = false;
  for (size_t line = 1; !csv.empty(); ++line) {
    const size_t end = std::min(csv.find('\n'), csv.size());
    const std::string_view text = Trim(csv.substr(0, end));
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (text.empty()) continue;
    JointMapRow row;
    BVHMILL_RETURN_IF_ERROR(ParseLine(form, text, line, &row));
    if (headed && !sources.insert(row.source).second) {
      return LineError(line, Quote(row.source) + std::string(form.twice));
    }
    if (headed) {
      rows.push_back(std::move(row));
    } else if (row.source + "," + row.target != form.heading) {
      return LineError(line, "not the heading " + Quote(form.heading));
    }
    headed = true;
  }
  if (rows.empty()) return LineError(1, std::string(form.none));
  return rows;
}

absl::StatusOr<std::vector<JointMapRow>> ParseJointMap(std::string_view csv) {
  constexpr TableForm kForm = {.heading = "source,target",
                               .twice = " is mapped twice",
                               .none = "the map has no rows",
                               .check = [](const JointMapRow& row) {
                                 return CheckJointName("target", row.target);
                               }};
  return ParseTable(kForm, csv);
}

// A row that names a single joint, as NAME#2, does not apply to bare names.
std::vector<std::optional<std::string_view>> NamesByMap(
    std::span<const JointMapRow> rows, const Skeleton& skeleton) {
  // NAME#2 comes after NAME and takes precedence.
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [source, target] : rows) sorted.emplace(source, target);
  const NameIndex whole = MakeNameIndex(skeleton);
  const NameIndex bare = MakeNameIndex(skeleton, /*bare=*/true);
  std::vector<std::optional<std::string_view>> targets(skeleton.nodes.size());
  const auto set = [&](std::span<const NamedJoint> joints,
                       std::string_view target) {
    for (const NamedJoint& joint : joints) {
      targets[static_cast<size_t>(joint.node)] = target;
    }
  };
  for (const auto& [source, target] : sorted) {
    const auto found = FindName(whole, source);
    const bool is_single = !found.empty() && found[0].name != ToUtf8(source);
    if (!is_single) set(FindName(bare, source), target);
  }
  for (const auto& [source, target] : sorted) {
    set(FindName(whole, source), target);
  }
  return targets;
}

absl::Status CheckJointName(std::string_view field, std::string_view name) {
  const auto breaks = [](unsigned char c) {
    return c < 0x20 || c == 0x7F || c == '{' || c == '}';
  };
  if (name.empty()) return InvalidField(field, "a new name is empty");
  const bool padded = name.front() == ' ' || name.back() == ' ';
  if (padded || !IsUtf8(name) ||
      std::any_of(name.begin(), name.end(), breaks)) {
    return InvalidField(field, Quote(name) + " cannot be the name of a joint");
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
