#include "bvhmill/report/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

constexpr std::array kEntries = {
#define BVHMILL_ISSUE(code, lenient, strict, title, message, help)        \
  CatalogueEntry{                                                         \
      IssueCode::code, #code, Severity::lenient, Severity::strict, title, \
      message,         help},
#include "bvhmill/report/issue_table.inc"
#undef BVHMILL_ISSUE
};

}  // namespace

std::span<const CatalogueEntry> Catalogue() { return kEntries; }

const CatalogueEntry& EntryOf(IssueCode code) {
  return kEntries[static_cast<size_t>(code)];
}

const CatalogueEntry* FindEntry(std::string_view name) {
  const auto it = std::find_if(
      kEntries.begin(), kEntries.end(),
      [&](const CatalogueEntry& entry) { return entry.name == name; });
  return it == kEntries.end() ? nullptr : &*it;
}

bool NamesCode(std::string_view word, std::string_view code) {
  if (!word.ends_with('*') || word.size() == 1) return word == code;
  return code.starts_with(word.substr(0, word.size() - 1));
}

bool NamesAnyCode(std::string_view word) {
  return std::any_of(
      kEntries.begin(), kEntries.end(),
      [&](const CatalogueEntry& entry) { return NamesCode(word, entry.name); });
}

bool IsRepair(std::string_view code) { return code.starts_with("REPAIR_"); }

std::string_view SeverityName(Severity severity) {
  constexpr std::array<std::string_view, 5> kNames = {"", "error", "warning",
                                                      "info", "hint"};
  return kNames[static_cast<size_t>(severity)];
}

std::optional<Severity> SeverityNamed(std::string_view name) {
  for (const Severity severity : {Severity::kError, Severity::kWarning,
                                  Severity::kInfo, Severity::kHint}) {
    if (SeverityName(severity) == name) return severity;
  }
  return std::nullopt;
}

namespace {

bool Contains(const std::vector<std::string>& words, std::string_view code) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return NamesCode(word, code);
  });
}

}  // namespace

bool IsListed(const ReportOptions& options, std::string_view code) {
  if (Contains(options.ignore, code)) return false;
  return options.only.empty() || Contains(options.only, code);
}

bool ListsData(const ReportOptions& options) {
  if (options.ignore.empty() && options.only.empty()) return true;
  if (options.strict) return true;
  const std::span<const CatalogueEntry> catalogue = Catalogue();
  return std::any_of(
      catalogue.begin(), catalogue.end(), [&](const CatalogueEntry& entry) {
        return entry.name.starts_with("DATA_") && IsListed(options, entry.name);
      });
}

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 5> kNames = {"", "valid", "accepted",
                                                      "invalid", "unreadable"};
  return kNames[static_cast<size_t>(verdict)];
}

Location LocationAt(const TextPosition& place) {
  Location location;
  location.byte_offset = place.offset;
  location.line = place.line;
  location.column = place.column;
  return location;
}

const Issue* FirstError(const Report& report) {
  for (const Issue& issue : report.issues) {
    if (issue.severity == Severity::kError) return &issue;
  }
  return nullptr;
}

void AddToReport(Report&& more, Report* report) {
  report->counts.errors += more.counts.errors;
  report->counts.warnings += more.counts.warnings;
  report->counts.infos += more.counts.infos;
  report->counts.hints += more.counts.hints;
  report->truncated |= more.truncated;
  report->verdict = std::max(report->verdict, more.verdict);
  std::vector<Issue>& issues = report->issues;
  std::move(more.issues.begin(), more.issues.end(), std::back_inserter(issues));
  std::stable_sort(
      issues.begin(), issues.end(),
      [](const Issue& a, const Issue& b) { return a.severity < b.severity; });
}

std::string FrameList(std::span<const int64_t> frames) {
  std::string list;
  for (const int64_t frame : frames) {
    list += (list.empty() ? "" : ", ") + std::to_string(frame);
  }
  return list;
}

std::vector<int64_t> ListedFrames(const Issue& issue) {
  const auto arg = std::find_if(issue.args.begin(), issue.args.end(),
                                [](const auto& a) { return a.first == "at"; });
  std::vector<int64_t> frames;
  std::string_view rest;
  if (arg != issue.args.end()) rest = arg->second;
  while (!rest.empty() && frames.size() < kMostListedFrames) {
    int64_t frame = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), frame);
    const int64_t before = frames.empty() ? -1 : frames.back();
    if (error != std::errc() || frame <= before) return {};
    frames.push_back(frame);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (!rest.starts_with(", ")) return {};
    rest.remove_prefix(2);
  }
  return frames;
}

namespace {

// ": frames 3, 12, 40 ..." of an issue that lists its frames.
std::string FirstFrames(const Issue& issue) {
  constexpr size_t kMost = 6;
  std::vector<int64_t> frames = ListedFrames(issue);
  if (frames.empty()) return {};
  frames.resize(std::min(frames.size(), kMost));
  const bool are_all = std::cmp_greater_equal(frames.size(), issue.occurrences);
  return ": frames " + FrameList(frames) + (are_all ? "" : " ...");
}

}  // namespace

std::string RenderIssue(const Issue& issue) {
  const Location& at = issue.location;
  std::string out;
  if (at.line) out += std::to_string(*at.line) + ":";
  if (at.line && at.column) out += std::to_string(*at.column) + ":";
  if (!at.line && at.byte_offset) {
    out += "byte " + std::to_string(*at.byte_offset) + ":";
  }
  if (!out.empty()) out += " ";
  return out + std::string(SeverityName(issue.severity)) + ": " + issue.code +
         ": " + issue.message + PlaceInWords(issue);
}

std::string PlaceInWords(const Issue& issue) {
  const Location& at = issue.location;
  std::string where;
  const auto add = [&where](const std::string& part) {
    where += (where.empty() ? "" : ", ") + part;
  };
  if (at.frame && at.last_frame.value_or(*at.frame) != *at.frame) {
    add("frames " + std::to_string(*at.frame) + " to " +
        std::to_string(*at.last_frame));
  } else if (at.frame) {
    add("frame " + std::to_string(*at.frame));
  }
  if (at.joint && at.frame) {
    add("joint " + std::to_string(*at.joint) + " " + Excerpt(at.joint_name));
  }
  if (at.channel) add("channel " + std::to_string(*at.channel));
  if (issue.occurrences > 1) {
    add(std::to_string(issue.occurrences) + " times" + FirstFrames(issue));
  }
  return where.empty() ? where : " (" + where + ")";
}

}  // namespace bvhmill
