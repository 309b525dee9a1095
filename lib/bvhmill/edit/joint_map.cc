#include "bvhmill/edit/joint_map.h"

#include <algorithm>
#include <set>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {
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

absl::Status ParseLine(std::string_view text, size_t line, JointMapRow* row) {
  std::vector<std::string> fields;
  if (!SplitLine(text, &fields)) return LineError(line, "a quote is wrong");
  if (fields.size() != 2) {
    return LineError(line, std::to_string(fields.size()) +
                               " fields where 2 are wanted: source,target");
  }
  if (fields[0].empty()) return LineError(line, "no source");
  *row = {std::move(fields[0]), std::move(fields[1])};
  const absl::Status named = CheckJointName("target", row->target);
  return named.ok() ? named : LineError(line, MessageOf(named));
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

absl::StatusOr<std::vector<JointMapRow>> ParseJointMap(std::string_view csv) {
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
    BVHMILL_RETURN_IF_ERROR(ParseLine(text, line, &row));
    if (headed && !sources.insert(row.source).second) {
      return LineError(line, Quote(row.source) + " is mapped twice");
    }
    if (headed) {
      rows.push_back(std::move(row));
    } else if (row.source != "source" || row.target != "target") {
      return LineError(line, "not the heading 'source,target'");
    }
    headed = true;
  }
  if (rows.empty()) return LineError(1, "the map has no rows");
  return rows;
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
