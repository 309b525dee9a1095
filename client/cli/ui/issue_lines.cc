#include "client/cli/ui/issue_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/report/report.h"
#include "client/cli/options/option_flags.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {
namespace {

// The most bytes of a line that are shown before the place, and from it on.
constexpr size_t kBefore = 48;
constexpr size_t kAfter = 24;
constexpr std::string_view kCut = "...";
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool EndsLine(char c) { return c == '\n' || c == '\r'; }

// True for all but the first byte of a code point.
bool GoesOn(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t BeginOfShown(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < kBefore && !EndsLine(text[begin - 1])) {
    --begin;
  }
  const bool is_cut = begin > 0 && !EndsLine(text[begin - 1]);
  while (is_cut && begin < at && GoesOn(text[begin])) ++begin;
  return begin;
}

size_t EndOfShown(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && end - at < kAfter && !EndsLine(text[end])) ++end;
  const bool is_cut = end < text.size() && !EndsLine(text[end]);
  while (is_cut && end > at && GoesOn(text[end])) --end;
  return end;
}

std::string Shown(std::string_view bytes) {
  std::string out;
  while (true) {
    const size_t tab = std::min(bytes.find('\t'), bytes.size());
    out += Excerpt(bytes.substr(0, tab), tab);
    if (tab == bytes.size()) return out;
    out += '\t';
    bytes.remove_prefix(tab + 1);
  }
}

// Blanks of the width of `shown`. Tabs stay tabs.
std::string BlanksFor(std::string_view shown) {
  std::string blanks;
  while (true) {
    const size_t tab = std::min(shown.find('\t'), shown.size());
    blanks.append(WidthOf(shown.substr(0, tab)), ' ');
    if (tab == shown.size()) return blanks;
    blanks += '\t';
    shown.remove_prefix(tab + 1);
  }
}

}  // namespace

std::string SourceLine(std::string_view text, int64_t offset) {
  if (offset < 0 || static_cast<uint64_t>(offset) > text.size()) return {};
  // A byte order mark is not shown.
  const size_t first =
      text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto at = std::max(static_cast<size_t>(offset), first);
  const size_t begin = std::max(BeginOfShown(text, at), first);
  const size_t end = EndOfShown(text, at);
  const std::string_view line = text.substr(begin, end - begin);
  if (line.find_first_not_of(" \t") == line.npos) return {};
  std::string before(kIndent);
  if (begin > first && !EndsLine(text[begin - 1])) before += kCut;
  before += Shown(text.substr(begin, at - begin));
  const bool is_cut = end < text.size() && !EndsLine(text[end]);
  return before + Shown(text.substr(at, end - at)) +
         std::string(is_cut ? kCut : "") + "\n" + BlanksFor(before) + "^";
}

int64_t Utf16Column(std::string_view text, int64_t offset) {
  if (offset < 0 || static_cast<uint64_t>(offset) > text.size()) return 0;
  std::string_view before = text.substr(0, static_cast<size_t>(offset));
  before.remove_prefix(before.find_last_of("\r\n") + 1);
  const bool is_first = before.size() == static_cast<size_t>(offset);
  if (is_first && before.starts_with(kByteOrderMark)) {
    before.remove_prefix(kByteOrderMark.size());
  }
  if (!IsUtf8(before)) return static_cast<int64_t>(before.size()) + 1;
  int64_t column = 1;
  for (const char c : before) {
    const bool has_two_units = static_cast<unsigned char>(c) >= 0xF0;
    column += GoesOn(c) ? 0 : has_two_units ? 2 : 1;
  }
  return column;
}

namespace {

std::string Joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

// "(31 joints, 433 frames)" of a good clip, "(2 errors)" of a bad one; with
// the warnings of either and the issues of the baseline.
std::string Facts(const ConvertResult& result, int64_t known_issues) {
  std::string facts;
  if (IsGood(result.report.verdict)) {
    facts = Count(result.info.joint_count, "joint") + ", " +
            Count(result.info.frames, "frame");
  }
  facts = Joined(facts, FaultCounts(result.report.counts));
  if (known_issues > 0) {
    facts = Joined(facts, Count(known_issues, "known issue"));
  }
  return facts.empty() ? "" : " (" + facts + ")";
}

// `line` of an issue, with its severity in colour.
std::string Coloured(std::string line, Severity severity) {
  // Red, magenta and cyan, in bold; a hint is not bold.
  constexpr std::array<std::string_view, 5> kColours = {
      "", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[36m"};
  constexpr std::string_view kPlain = "\x1b[0m";
  const std::string word = std::string(SeverityName(severity)) + ":";
  // Before it there are only digits.
  const size_t begin = line.find(word);
  line.insert(begin + word.size(), kPlain);
  return line.insert(begin, kColours[static_cast<size_t>(severity)]);
}

// The begin of a line about `path`; in a group, where it is empty, a blank.
std::string Lead(std::string_view path) {
  return path.empty() ? std::string(kIndent) : Printable(path) + ": ";
}

std::string MoreIssues(std::string_view path, const IssueView& view) {
  return Lead(path) + "note: there are more issues; " +
         (view.is_cut_by_server ? "the server lists no more of them\n"
                                : "--max-issues lists more of them\n");
}

}  // namespace

IssueView ViewFor(bool is_terminal) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool is_plain = no_color != nullptr && *no_color != '\0';
  IssueView view;
  view.grouped = is_terminal;
  view.in_colour = is_terminal && !is_plain;
  view.with_text = is_terminal;
  return view;
}

void TakeLines(std::string_view text, const Report& report, IssueView* view) {
  if (!view->with_text && !view->with_utf16) return;
  for (const Issue& issue : report.issues) {
    const std::optional<int64_t> offset = issue.location.byte_offset;
    if (!offset || !issue.location.line) continue;
    if (view->with_text) {
      view->lines.emplace(*offset, SourceLine(text, *offset));
    }
    if (view->with_utf16) {
      view->columns.emplace(*offset, Utf16Column(text, *offset));
    }
  }
}

std::string IssueLine(std::string_view path, const Issue& issue,
                      const IssueView& view) {
  std::string line = RenderIssue(issue);
  if (view.in_colour) line = Coloured(std::move(line), issue.severity);
  const bool is_in_group = path.empty();
  line.insert(0, is_in_group           ? std::string(kIndent)
                 : issue.location.line ? Printable(path) + ":"
                                       : Printable(path) + ": ");
  const auto text = view.lines.find(issue.location.byte_offset.value_or(-1));
  if (text == view.lines.end() || text->second.empty()) return line;
  if (!is_in_group) return line + "\n" + text->second;
  // The line of the file, and the one with the caret.
  std::string lines = text->second;
  lines.insert(lines.find('\n') + 1, kIndent);
  return line + "\n" + std::string(kIndent) + lines;
}

std::string FailureLine(std::string_view path, const absl::Status& status) {
  // The message of an issue already contains "error".
  const bool is_issue = FindEntry(CallErrorOf(status).reason) != nullptr;
  return Printable(path) + (is_issue ? ": " : ": error: ") +
         InWordsOfOptions(status);
}

std::string FailureLine(std::string_view path, const ConvertResult& result,
                        const IssueView& view) {
  // The report does not contain other failures, such as a full disk.
  const bool is_of_clip = absl::IsInvalidArgument(result.status) ||
                          absl::IsFailedPrecondition(result.status) ||
                          absl::IsResourceExhausted(result.status);
  const Issue* error = is_of_clip ? FirstError(result.report) : nullptr;
  return error != nullptr ? IssueLine(path, *error, view)
                          : FailureLine(path, result.status);
}

std::string ReportText(std::string_view path, const ConvertResult& result,
                       int64_t known_issues, const IssueView& view) {
  std::string out = Printable(path) + ": " +
                    std::string(VerdictName(result.report.verdict)) +
                    Facts(result, known_issues) + "\n";
  const std::string_view named = view.grouped ? "" : path;
  for (const Issue& issue : result.report.issues) {
    out += IssueLine(named, issue, view) + "\n";
  }
  if (result.report.truncated) out += MoreIssues(named, view);
  if (view.grouped && !result.report.issues.empty()) out += "\n";
  return out;
}

std::string WarningText(std::string_view path, const Report& report,
                        const IssueView& view) {
  constexpr int kShown = 3;
  int shown = 0;
  int64_t more = report.counts.warnings;
  std::string out;
  for (const Issue& issue : report.issues) {
    if (issue.severity != Severity::kWarning) continue;
    const bool is_repair = IsRepair(issue.code);
    if (!is_repair && shown == kShown) continue;
    more -= issue.occurrences;
    if (is_repair) continue;
    ++shown;
    out += IssueLine(path, issue, view) + "\n";
  }
  if (more <= 0) return out;
  return out + Lead(path) + "note: " + Count(more, "more warning") +
         "; validate and --report-jsonl list them\n";
}

bool HasChange(const Report& report) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [](const Issue& issue) {
        return IsRepair(issue.code) && !issue.code.ends_with("_LEFT");
      });
}

std::string RepairText(std::string_view path, const Report& report,
                       const IssueView& view) {
  std::string out;
  for (const Issue& issue : report.issues) {
    if (!IsRepair(issue.code)) continue;
    out += IssueLine(path, issue, view) + "\n";
  }
  if (!out.empty() && report.truncated) out += MoreIssues(path, view);
  return out;
}

std::string ArgOf(const Issue& issue, std::string_view name) {
  for (const auto& [key, value] : issue.args) {
    if (key == name) return value;
  }
  return {};
}

std::string FaultCounts(const IssueCounts& counts) {
  return Joined(counts.errors > 0 ? Count(counts.errors, "error") : "",
                counts.warnings > 0 ? Count(counts.warnings, "warning") : "");
}

void ListFrom(Severity least, Report* report) {
  const size_t dropped = std::erase_if(
      report->issues,
      [least](const Issue& issue) { return issue.severity > least; });
  // The list is cut at its end, so all the others are on it.
  if (dropped > 0) report->truncated = false;
}

}  // namespace bvhmill::client
