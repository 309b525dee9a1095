#pragma once

// Collects issues while a clip is read and checked, and makes the report of
// them. Memory is bounded by the cap on listed issues, whatever the file does.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bvhmill/report/report.h"

namespace bvhmill {

// What a caller may choose about reports.
struct ReportOptions {
  // Count issues by their strict severity.
  bool strict = false;
  // Codes that are neither listed nor counted.
  std::vector<std::string> ignore_codes;
  // If not empty: no other code is listed or counted.
  std::vector<std::string> only_codes;
  std::map<std::string, Severity, std::less<>> severity_overrides;
  // Cap on distinct listed issues, never on the counts.
  int64_t max_issues = 100;
};

// Not thread-safe: one log per clip.
class IssueLog {
 public:
  explicit IssueLog(const ReportOptions& options);

  // Adds `occurrences` of an issue, `location` being the first of them. `args`
  // fill the message of the catalogue. Folds with an earlier issue of the same
  // code and joint. What is chosen to be ignored is dropped here, but still
  // counted by `faults`.
  void Add(IssueCode code, const Location& location, IssueArgs args = {},
           int64_t occurrences = 1);

  // Counts one more occurrence of an issue that Add would not list anew (it was
  // added for this joint before, is ignored, or the list is full), and returns
  // true; else does nothing. Cheap, for floods: no message is made.
  bool Repeat(IssueCode code, int32_t joint);

  // Says how many values the rows have that were read. Issues of single values
  // state their share of them, each code for all joints together.
  void SetValues(int64_t values) { values_ = values; }

  // Occurrences of issues that are errors in the catalogue itself, ignored or
  // not: whoever reads a clip gives it up when this grows.
  int64_t faults() const { return faults_; }

  // Occurrences of whatever was added, ignored or not.
  int64_t added() const { return added_; }

  // Occurrences that the report will count as errors.
  int64_t errors() const { return counts_.errors; }

  // The report of everything added; sorted, cut to the cap, with the verdict
  // for a clip whose skeleton and whose motion could be read. Call once.
  Report Finish(bool skeleton_read, bool motion_read);

 private:
  using Key = uint64_t;

  static Key KeyOf(IssueCode code, int32_t joint);
  bool IsWanted(IssueCode code) const;
  bool IsFull(const std::vector<Issue>& list) const;
  Severity SeverityFor(IssueCode code) const;
  int64_t& CountFor(Severity severity);
  void StateShare(IssueCode code);

  ReportOptions options_;
  std::array<bool, kIssueCodes> wanted_ = {};
  std::array<Severity, kIssueCodes> severities_ = {};
  // Listed issues by severity; each list is capped by itself, so that warnings
  // cannot crowd out the first error.
  std::array<std::vector<Issue>, 5> lists_;
  std::unordered_map<Key, size_t> places_;
  // Occurrences by code, without what is ignored.
  std::array<int64_t, kIssueCodes> occurrences_ = {};
  int64_t values_ = 0;
  IssueCounts counts_;
  int64_t faults_ = 0;
  int64_t added_ = 0;
  bool truncated_ = false;
};

// `message` with each {name} replaced by the arg of that name.
std::string FillMessage(std::string_view message, const IssueArgs& args);

}  // namespace bvhmill
