#pragma once

// Reports and failures as lines of text, in the style of a compiler.
//
//   IssueView view = ViewFor(is_terminal);
//   TakeLines(text, result.report, &view);
//   console.PrintDiagnostics(FailureLine(path, result, view) + "\n");
//
// prints, for example,
//
//   take.bvh:4:14: error: HIERARCHY_OFFSET_INVALID: OFFSET of Hips needs ...
//     OFFSET 0.0 x 0.0
//                ^
//
// On a terminal, the issues of a clip are a group: the path, then the issues,
// indented and without it, then an empty line.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/report.h"

namespace bvhmill::client {

// How the issues of one clip are printed.
struct IssueView {
  // Print severities in colour.
  bool in_colour = false;
  // Print the issues of a clip as a group.
  bool grouped = false;
  // Print the line of the file below an issue, if `lines` has it.
  bool with_text = false;
  // The result of SourceLine for the byte of each location.
  std::map<int64_t, std::string> lines;
  // State columns in UTF-16 code units, as `columns` has them.
  bool with_utf16 = false;
  // The result of Utf16Column for the byte of each location.
  std::map<int64_t, int64_t> columns;
  // True if the server has cut the list of issues.
  bool is_cut_by_server = false;
};

// The view for a terminal has groups, lines of the file, and colours unless
// NO_COLOR is set. Any other view has none of them.
IssueView ViewFor(bool is_terminal);

// Fills view->lines for the issues of `report` if view->with_text, and
// view->columns if view->with_utf16. Requires that `report` is about `text`.
void TakeLines(std::string_view text, const Report& report, IssueView* view);

// "PATH:LINE:COL: error: CODE: message", without a line end; below it the line
// of the text, if `view` has it. Without a path, all lines are indented.
std::string IssueLine(std::string_view path, const Issue& issue,
                      const IssueView& view = {});

// The reason why a clip failed, without a line end: the first error of its
// report if that is the reason, else "PATH: error: " and the message of the
// status.
std::string FailureLine(std::string_view path, const ConvertResult& result,
                        const IssueView& view = {});
std::string FailureLine(std::string_view path, const absl::Status& status);

// The whole report: a line with the verdict, then one for each issue, or a
// group. Every line has its end. `known_issues` is the number that a baseline
// has removed.
std::string ReportText(std::string_view path, const ConvertResult& result,
                       int64_t known_issues, const IssueView& view);

// The first three warnings, then how many more there are, without the changes
// of RepairText. Every line has its end. `path` is empty in a group, also in
// RepairText.
std::string WarningText(std::string_view path, const Report& report,
                        const IssueView& view);

// True if a repair has changed the clip. A fault that a repair leaves is no
// change.
bool HasChange(const Report& report);

// The changes that repairs made (issues REPAIR_*), a line each with its end; if
// the report may lack some, a line says so.
std::string RepairText(std::string_view path, const Report& report,
                       const IssueView& view);

// The arg of issues that concern a part of a joint: "rotation" or "position". A
// joint may have one issue of a code for each kind.
inline constexpr std::string_view kKindArg = "kind";

// The arg `name` of `issue`; empty if it has none.
std::string ArgOf(const Issue& issue, std::string_view name);

// "2 errors, 1 warning"; empty if there are none.
std::string FaultCounts(const IssueCounts& counts);

// Removes issues less severe than `least` from the list. Counts do not change.
// If any was removed, the list has all others, so it is not `truncated`.
void ListFrom(Severity least, Report* report);

// Positions in the text of a clip.

// The line of `text` that has the byte at `offset`, and a second line with a
// caret under that byte. Both are indented; the second has no line end. Tabs
// are kept, other control characters become \xNN. A byte order mark is not
// shown. Wide characters of East Asia count as two columns. A long line is cut
// on both sides of the place. Empty if the line is blank, or `offset` is not
// within the text or at its end.
std::string SourceLine(std::string_view text, int64_t offset);

// The column of the byte at `offset` in its line of `text`, counted from 1 in
// UTF-16 code units, as editors count. A byte order mark has no column. If the
// bytes before are no UTF-8, each counts as one. 0 if `offset` is not within
// the text or at its end. O(column).
int64_t Utf16Column(std::string_view text, int64_t offset);

}  // namespace bvhmill::client
