#include "bvhmill/report/issue_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>

#include "bvhmill/base/limits.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

using Severities = std::array<Severity, kIssueCodes>;

const Severities& CatalogueSeverities(bool strict) {
  static const std::array<Severities, 2> severities = [] {
    std::array<Severities, 2> out = {};
    for (const CatalogueEntry& entry : Catalogue()) {
      const auto code = static_cast<size_t>(entry.code);
      out[0][code] = entry.lenient;
      out[1][code] = entry.strict;
    }
    return out;
  }();
  return severities[strict ? 1 : 0];
}

bool IsEarlier(const Issue& a, const Issue& b) {
  const auto place = [](const Issue& issue) {
    constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
    return std::tuple(issue.location.byte_offset.value_or(kLast),
                      issue.location.joint.value_or(-1));
  };
  return place(a) < place(b);
}

// The codes whose message ends in the share of values that are affected.
constexpr IssueCode kWithShare[] = {IssueCode::DATA_NOT_FINITE,
                                    IssueCode::DATA_OUT_OF_RANGE};

// Removes the share from the message of such an issue while it is unknown.
void LeaveShareOut(Issue* issue) {
  for (const IssueCode code : kWithShare) {
    const CatalogueEntry& entry = EntryOf(code);
    if (issue->code != entry.name) continue;
    const std::string_view message = entry.message;
    issue->message = FillMessage(message.substr(0, message.find_first_of(";:")),
                                 issue->args);
  }
}

// The share of `count` in `values`, in whole percent; 100 if all are affected.
IssueArgs ShareArgs(int64_t count, int64_t values) {
  const int64_t all = std::max<int64_t>({count, values, 1});
  const int64_t percent = 100 * count / all;
  return {{"count", std::to_string(count)},
          {"values", std::to_string(all)},
          {"percent", percent > 0 ? std::to_string(percent) : "<1"}};
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// " in 3 frames, 2 runs".
std::string RowsInWords(int64_t rows, int64_t runs) {
  return " in " + Counted(rows, "frame") + ", " + Counted(runs, "run");
}

// Moves the words after a number of 1 from `message` to `out`: a plural noun
// loses its "s", and "are" becomes "is".
void AppendSingular(std::string_view* message, std::string* out) {
  constexpr std::array<std::string_view, 6> kPlurals = {
      " frames", " gaps", " joints", " rows", " runs", " values"};
  if (message->starts_with(" are ")) {
    out->append(" is ");
    message->remove_prefix(std::string_view(" are ").size());
  }
  for (const std::string_view plural : kPlurals) {
    if (!message->starts_with(plural)) continue;
    out->append(plural.substr(0, plural.size() - 1));
    message->remove_prefix(plural.size());
  }
}

std::string WithDigits(double value, int digits) {
  std::array<char, 32> text = {};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::general, digits);
  return error == std::errc() ? std::string(text.data(), end) : "";
}

}  // namespace

std::string FillMessage(std::string_view message, const IssueArgs& args) {
  std::string out;
  while (!message.empty()) {
    const size_t open = message.find('{');
    const size_t close = message.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view name = message.substr(open + 1, close - open - 1);
    const auto arg = std::find_if(args.begin(), args.end(), [&](const auto& a) {
      return a.first == name;
    });
    out.append(message.substr(0, open));
    if (arg != args.end()) out.append(arg->second);
    message.remove_prefix(close + 1);
    if (arg != args.end() && arg->second == "1") AppendSingular(&message, &out);
  }
  return out.append(message);
}

std::string Short(double value) { return WithDigits(value, 4); }

std::string ShortRate(double frames_per_second) {
  return WithDigits(frames_per_second, 5);
}

// Most callers choose no codes; the severities are then copied from a table.
IssueLog::IssueLog(const ReportOptions& options) : options_(options) {
  const bool is_usual = options.ignore.empty() && options.only.empty() &&
                        options.severities.empty();
  if (is_usual) {
    wanted_.fill(true);
    severities_ = CatalogueSeverities(options.strict);
    return;
  }
  for (const CatalogueEntry& entry : Catalogue()) {
    const auto code = static_cast<size_t>(entry.code);
    wanted_[code] = IsListed(options, entry.name);
    severities_[code] = SeverityFor(entry.code);
    chosen_[code] = options.severities.contains(entry.name);
  }
}

Severity IssueLog::SeverityFor(IssueCode code) const {
  const CatalogueEntry& entry = EntryOf(code);
  const auto it = options_.severities.find(entry.name);
  if (it != options_.severities.end()) return it->second;
  return options_.strict ? entry.strict : entry.lenient;
}

int64_t& IssueLog::CountFor(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return counts_.errors;
    case Severity::kWarning:
      return counts_.warnings;
    case Severity::kInfo:
      return counts_.infos;
    case Severity::kHint:
      break;
  }
  return counts_.hints;
}

IssueLog::Key IssueLog::KeyOf(IssueCode code, int32_t joint, JointPart part) {
  return (static_cast<Key>(part) << 48) | (static_cast<Key>(code) << 32) |
         static_cast<uint32_t>(joint);
}

bool IssueLog::Repeat(IssueCode code, int32_t joint) {
  const auto index = static_cast<size_t>(code);
  if (wanted_[index]) {
    const auto known = places_.find(KeyOf(code, joint, JointPart::kAll));
    const bool is_listed = known != places_.end();
    const Severity severity =
        is_listed ? known->second.severity : severities_[index];
    std::vector<Issue>& list = lists_[static_cast<size_t>(severity)];
    if (!is_listed && !IsFull(list)) return false;
    ++CountFor(severity);
    ++occurrences_[index];
    if (is_listed) ++list[known->second.index].occurrences;
    truncated_ |= !is_listed;
  }
  occurred_[index] = true;
  if (EntryOf(code).lenient == Severity::kError) ++faults_;
  ++added_;
  return true;
}

bool IssueLog::IsFull(const std::vector<Issue>& list) const {
  return Exceeds(static_cast<int64_t>(list.size()) + 1, options_.max_issues);
}

void IssueLog::Add(IssueCode code, const Location& location, IssueArgs args,
                   int64_t occurrences, JointPart part) {
  AddWith(severities_[static_cast<size_t>(code)], code, location,
          std::move(args), occurrences, part);
}

void IssueLog::AddAs(Severity severity, IssueCode code,
                     const Location& location, IssueArgs args,
                     int64_t occurrences, JointPart part) {
  const auto index = static_cast<size_t>(code);
  AddWith(chosen_[index] ? severities_[index] : severity, code, location,
          std::move(args), occurrences, part);
}

void IssueLog::AddWith(Severity severity, IssueCode code,
                       const Location& location, IssueArgs args,
                       int64_t occurrences, JointPart part) {
  const auto index = static_cast<size_t>(code);
  if (EntryOf(code).lenient == Severity::kError) faults_ += occurrences;
  added_ += occurrences;
  occurred_[index] = true;
  if (!wanted_[index]) return;
  occurrences_[index] += occurrences;
  const Key key = KeyOf(code, location.joint.value_or(-1), part);
  const auto known = places_.find(key);
  if (known != places_.end()) severity = known->second.severity;
  CountFor(severity) += occurrences;
  std::vector<Issue>& list = lists_[static_cast<size_t>(severity)];
  if (known != places_.end()) {
    list[known->second.index].occurrences += occurrences;
    return;
  }
  if (IsFull(list)) {
    truncated_ = true;
    return;
  }
  places_.emplace(key, Place{severity, list.size()});
  const CatalogueEntry& entry = EntryOf(code);
  list.push_back({std::string(entry.name), severity,
                  FillMessage(entry.message, args), WithLine(code, location),
                  occurrences, std::move(args)});
}

// Rules about the motion know frames, but not the lines of the frames or of the
// frame time.
Location IssueLog::WithLine(IssueCode code, const Location& location) const {
  Location out = location;
  const bool is_about_rows = EntryOf(code).name.starts_with("DATA_");
  if (is_about_rows && first_row_line_ > 0 && out.frame && !out.line) {
    out.line = first_row_line_ + *out.frame;
  }
  if (code == IssueCode::DATA_FRAME_TIME_ODD && !out.line) {
    out.line = frame_time_place_.line;
    out.column = frame_time_place_.column;
  }
  return out;
}

// The last place is reserved for an error.
bool IssueLog::MayTake(Severity severity) const {
  const int64_t kept = severity == Severity::kError ? 0 : 1;
  return !Exceeds(taken_ + kept + 1, options_.max_issues);
}

std::vector<Issue> IssueLog::TakeNew() {
  std::vector<Issue> issues;
  for (size_t i = 0; i < lists_.size(); ++i) {
    for (; passed_[i] < lists_[i].size(); ++passed_[i]) {
      if (!MayTake(static_cast<Severity>(i))) continue;
      issues.push_back(lists_[i][passed_[i]]);
      LeaveShareOut(&issues.back());
      ++taken_;
    }
  }
  std::stable_sort(issues.begin(), issues.end(), IsEarlier);
  return issues;
}

void IssueLog::GoOnAs(IssueLog longer) {
  longer.passed_ = passed_;
  longer.taken_ = taken_;
  *this = std::move(longer);
}

// True if the rows with such values belong to a single code.
bool IssueLog::KnowsRows() const {
  const auto codes = std::count_if(
      std::begin(kWithShare), std::end(kWithShare),
      [this](IssueCode code) { return occurred_[static_cast<size_t>(code)]; });
  return non_finite_rows_ > 0 && codes == 1;
}

// The share is known only at the end, also if the clip is read in pieces.
void IssueLog::StateShare(IssueCode code) {
  const auto index = static_cast<size_t>(code);
  if (occurrences_[index] == 0) return;
  const CatalogueEntry& entry = EntryOf(code);
  IssueArgs share = ShareArgs(occurrences_[index], values_);
  const bool knows_rows = KnowsRows();
  // The rules that count such rows do not judge the motion.
  share.emplace_back(
      "rows",
      std::string(knows_rows ? RowsInWords(non_finite_rows_, non_finite_runs_)
                             : "") +
          (non_finite_rows_ > 0 ? "; the motion is not judged" : ""));
  if (knows_rows) {
    share.emplace_back("frames", std::to_string(non_finite_rows_));
    share.emplace_back("runs", std::to_string(non_finite_runs_));
  }
  for (Issue& issue : lists_[static_cast<size_t>(severities_[index])]) {
    if (issue.code != entry.name) continue;
    issue.args.insert(issue.args.end(), share.begin(), share.end());
    issue.message = FillMessage(entry.message, issue.args);
  }
}

Report IssueLog::Finish(bool skeleton_read, bool motion_read) {
  Report report;
  for (const IssueCode code : kWithShare) StateShare(code);
  report.counts = counts_;
  report.thresholds = Changes(options_.thresholds);
  for (std::vector<Issue>& list : lists_) {
    std::stable_sort(list.begin(), list.end(), IsEarlier);
    std::move(list.begin(), list.end(), std::back_inserter(report.issues));
  }
  const auto cap = static_cast<size_t>(options_.max_issues);
  if (options_.max_issues > 0 && report.issues.size() > cap) {
    report.issues.resize(cap);
    truncated_ = true;
  }
  report.truncated = truncated_;
  const bool good = skeleton_read && motion_read && counts_.errors == 0;
  report.verdict = !skeleton_read         ? Verdict::kUnreadable
                   : !good                ? Verdict::kInvalid
                   : counts_.warnings > 0 ? Verdict::kAccepted
                                          : Verdict::kValid;
  return report;
}

}  // namespace bvhmill
