#pragma once

// The report about a clip: its verdict, and its issues with their locations.
//
//   for (const Issue& issue : report.issues) {
//     Print(RenderIssue(issue));
//     if (issue.code == EntryOf(IssueCode::TEXT_EMPTY).name) ...
//   }
//   if (!IsGood(report.verdict)) return;
//
// An issue is a fault or a remark. Equal issues (same code, same joint) are
// merged into one with the location of the first and an exact count. Spikes and
// jumps of the rotation and of the position of a joint are two issues.
//
// Reports are plain data.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"

namespace bvhmill {

enum class Severity { kError = 1, kWarning, kInfo, kHint };

// Only the fields that apply are set. Line and column count from 1 (columns in
// bytes), all other fields from 0. `joint` is the index in the depth-first
// order of the joints and end sites of the file.
struct Location {
  std::optional<int64_t> byte_offset;
  std::optional<int64_t> line;
  std::optional<int32_t> column;
  std::optional<int64_t> frame;
  std::optional<int32_t> joint;
  std::optional<int32_t> channel;
  // The name of the joint, as UTF-8.
  std::string joint_name;
  // The last of several frames; `frame` is the first of them.
  std::optional<int64_t> last_frame = {};
};

using IssueArgs = std::vector<std::pair<std::string, std::string>>;

struct Issue {
  // A name of the catalogue. May be unknown if a newer version sent it.
  std::string code;
  Severity severity = Severity::kError;
  // Text for people: UTF-8, one line.
  std::string message;
  Location location;
  int64_t occurrences = 1;
  // The variable parts of the message, by name.
  IssueArgs args;
};

struct IssueCounts {
  int64_t errors = 0;
  int64_t warnings = 0;
  int64_t infos = 0;
  int64_t hints = 0;
};

enum class Verdict {
  kValid = 1,   // no error, no warning
  kAccepted,    // no error, but warnings
  kInvalid,     // errors, but the skeleton could be read
  kUnreadable,  // no skeleton could be read
};

// Version of the rules. Raise it whenever a verdict may change.
inline constexpr std::string_view kRulesVersion = "14";

// The value of a threshold of a motion rule, instead of the default.
// docs/issues.md lists the thresholds, their defaults and units.
struct ThresholdChoice {
  // The code of the rule, and the name of the threshold.
  std::string code;
  std::string name;
  // Finite and not negative, in the unit of the list.
  double value = 0;

  bool operator==(const ThresholdChoice&) const = default;
};

struct Report {
  Verdict verdict = Verdict::kUnreadable;
  // Exact numbers of occurrences, also if the list was truncated. Ignored codes
  // are not counted.
  IssueCounts counts;
  // Most severe first, then by position in the file.
  std::vector<Issue> issues;
  // True if there are more distinct issues than are listed.
  bool truncated = false;
  std::string rules_version{kRulesVersion};
  // The thresholds with a value other than the default. The defaults of all
  // others follow from `rules_version`.
  std::vector<ThresholdChoice> thresholds;
};

// --- Choices of a caller.

struct ReportOptions {
  // Use the strict severities of the catalogue.
  bool strict = false;
  // Codes that are neither listed nor counted. "DATA_*" stands for all codes
  // that begin with DATA_, also in only.
  std::vector<std::string> ignore;
  // If not empty, only these codes are listed and counted.
  std::vector<std::string> only;
  // Severities by code, instead of those of the catalogue.
  std::map<std::string, Severity, std::less<>> severities;
  // Cap on the number of listed issues; 0: no cap. The counts stay exact above
  // it.
  int64_t max_issues = 100;
  // If several are for one threshold, the last one counts.
  std::vector<ThresholdChoice> thresholds;
};

// True if issues of `code` are listed and counted. O(codes of the options).
bool IsListed(const ReportOptions& options, std::string_view code);

// True if the rules about data must run: one of their issues is listed, or the
// file is read strictly. O(codes).
bool ListsData(const ReportOptions& options);

// --- The catalogue: everything that can be wrong with a file, each with a
// stable code. issue_table.inc is the only place that defines it.

enum class IssueCode {
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help) code,
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
};

inline constexpr size_t kIssueCodes = 0
// Adds 1 per issue: NOLINTNEXTLINE(bugprone-macro-parentheses)
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help) +1
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
    ;

struct CatalogueEntry {
  IssueCode code;
  std::string_view name;
  // Severity when a file is read leniently, and when it is read strictly.
  Severity lenient;
  Severity strict;
  // The fault in a few words, without variable parts.
  std::string_view title;
  // Text with {arg} for each variable part.
  std::string_view message;
  // Meaning and action, without variable parts.
  std::string_view help;
};

// All entries, in the order of the table.
std::span<const CatalogueEntry> Catalogue();

const CatalogueEntry& EntryOf(IssueCode code);

// The entry with the name `name`, e.g. "TEXT_EMPTY"; null if there is none.
const CatalogueEntry* FindEntry(std::string_view name);

// True if `word` is `code`, or a prefix of it of one letter or more, followed
// by
// "*": DATA_* names every code about data.
bool NamesCode(std::string_view word, std::string_view code);

// True if `word` names a code of the catalogue. O(codes).
bool NamesAnyCode(std::string_view word);

// True for codes of changes that repairs made: REPAIR_*.
bool IsRepair(std::string_view code);

// --- Functions of reports.

// "error", "warning", "info", "hint".
std::string_view SeverityName(Severity severity);
// The severity with this name; nullopt if there is none.
std::optional<Severity> SeverityNamed(std::string_view name);

// "valid", "accepted", "invalid", "unreadable".
std::string_view VerdictName(Verdict verdict);

// True if a clip with this verdict is converted.
constexpr bool IsGood(Verdict verdict) {
  return verdict == Verdict::kValid || verdict == Verdict::kAccepted;
}

// The byte, line and column of `place`.
Location LocationAt(const TextPosition& place);

// The first error of the report, or null.
const Issue* FirstError(const Report& report);

// Adds `more`, a later report about the same clip. All issues of both stay
// listed: each list was cut by the cap of its own log, so the faults of a file
// displace no repair. The verdict becomes the worse of the two.
void AddToReport(Report&& more, Report* report);

// The largest number of frames that an issue lists in its arg "at".
inline constexpr size_t kMostListedFrames = 16;
// "12, 34, 56".
std::string FrameList(std::span<const int64_t> frames);
// The frames of the arg "at", ascending. Empty if there is no such arg, or if
// it is not such a list: a server may send anything.
std::vector<int64_t> ListedFrames(const Issue& issue);

// A line for people, without a file name, in the form of compilers:
// "12:5: error: MOTION_NUMBER_INVALID: 1,5 is not a number (frame 3, joint 0
// Hips)". If the file is not text, the line begins with "byte 12: " instead.
std::string RenderIssue(const Issue& issue);
// The part of RenderIssue in brackets, with a space before it; empty without a
// frame, channel or repeated occurrence.
std::string PlaceInWords(const Issue& issue);

}  // namespace bvhmill
