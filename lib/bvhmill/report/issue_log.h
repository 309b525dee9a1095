#pragma once

// Collects the issues of a clip while it is read and checked, and makes its
// report.
//
//   IssueLog log(options);
//   log.Add(IssueCode::MOTION_NUMBER_INVALID, LocationAt(position),
//           {{"word", "1,5"}});
//   Report report = log.Finish(/*skeleton_read=*/true, /*motion_read=*/false);
//
// The cap on listed issues bounds the memory for any input; without a cap there
// is no bound.

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bvhmill/report/report.h"

namespace bvhmill {

// The part of a joint that an issue is about.
enum class JointPart : uint8_t { kAll, kRotation, kPosition };

// Not thread-safe: one log per clip.
class IssueLog {
 public:
  explicit IssueLog(const ReportOptions& options);

  // Adds `occurrences` occurrences of an issue; `location` is that of the
  // first. `args` fill the message of the catalogue. Merges the issue with an
  // earlier one of the same code, joint and part. An ignored issue is not
  // listed, but faults() and added() count it.
  void Add(IssueCode code, const Location& location, IssueArgs args = {},
           int64_t occurrences = 1, JointPart part = JointPart::kAll);

  // As Add, but with `severity` instead of that of the catalogue, also if the
  // file is read strictly. A severity in ReportOptions wins over both.
  void AddAs(Severity severity, IssueCode code, const Location& location,
             IssueArgs args = {}, int64_t occurrences = 1,
             JointPart part = JointPart::kAll);

  // Counts one more occurrence of an issue if Add would not list a new one: the
  // issue is already listed for this joint, is ignored, or the list is full.
  // Otherwise returns false and does nothing. Cheap, since it builds no
  // message: for issues that occur many times.
  bool Repeat(IssueCode code, int32_t joint);

  // Sets the number of values in the rows that were read. Issues about single
  // values state the affected share of the values, for all joints together.
  void SetValues(int64_t values) { values_ = values; }

  // Sets the number of rows with values that are not finite, and the number of
  // runs of consecutive ones. Issues about such values state both, unless the
  // clip has issues of two such codes, whose rows are counted together.
  void SetNonFiniteRows(int64_t rows, int64_t runs) {
    non_finite_rows_ = rows;
    non_finite_runs_ = runs;
  }

  // States that the row of frame t is the line `line` + t of the file. Issues
  // about the motion that are added later state the line of their frame.
  void SetFirstRowLine(int64_t line) { first_row_line_ = line; }

  // Sets the location of the frame time in the file. Issues about the frame
  // time that are added later without a line get this line and column.
  void SetFrameTimePlace(const Location& place) { frame_time_place_ = place; }

  // True if an issue of this code was added, and the report lists it or ignores
  // it.
  bool HasListed(IssueCode code) const {
    const auto index = static_cast<size_t>(code);
    return occurred_[index] && wanted_[index];
  }
  bool HasIgnored(IssueCode code) const {
    const auto index = static_cast<size_t>(code);
    return occurred_[index] && !wanted_[index];
  }

  // Occurrences of issues whose lenient severity in the catalogue is error,
  // ignored ones included. A reader stops reading a clip when this number
  // grows.
  int64_t faults() const { return faults_; }

  // Occurrences of all issues that were added, ignored ones included.
  int64_t added() const { return added_; }

  // Occurrences that the report will count as errors.
  int64_t errors() const { return counts_.errors; }

  // Returns the issues that were listed since the last call, in the order of
  // the file, with their occurrences so far. All calls together return at most
  // max_issues; the last place is reserved for an error. The final report may
  // differ: if it is truncated, it may lack a returned issue; it may count more
  // occurrences of one; and some issues get the share of values in their args
  // and message. Cheap if there is nothing new. Must not be called after
  // Finish.
  std::vector<Issue> TakeNew();
  // Replaces this log by `longer`, a copy of it with more issues. The next call
  // of TakeNew returns those.
  void GoOnAs(IssueLog longer);

  // Makes the report of all issues: sorted, cut to the cap, with a verdict. The
  // arguments state whether the skeleton and the motion could be read. Call
  // once.
  Report Finish(bool skeleton_read, bool motion_read);

 private:
  using Key = uint64_t;
  // A list and an index in it.
  struct Place {
    Severity severity = Severity::kError;
    size_t index = 0;
  };

  static Key KeyOf(IssueCode code, int32_t joint, JointPart part);
  bool IsFull(const std::vector<Issue>& list) const;
  bool MayTake(Severity severity) const;
  void AddWith(Severity severity, IssueCode code, const Location& location,
               IssueArgs args, int64_t occurrences, JointPart part);
  Location WithLine(IssueCode code, const Location& location) const;
  Severity SeverityFor(IssueCode code) const;
  int64_t& CountFor(Severity severity);
  bool KnowsRows() const;
  void StateShare(IssueCode code);

  ReportOptions options_;
  std::array<bool, kIssueCodes> wanted_ = {};
  std::array<Severity, kIssueCodes> severities_ = {};
  // Codes whose severity the caller has chosen.
  std::array<bool, kIssueCodes> chosen_ = {};
  // Listed issues by severity. Each list has its own cap, so that warnings
  // cannot displace the first error.
  std::array<std::vector<Issue>, 5> lists_;
  // The number of issues of each list that TakeNew visited, and the number of
  // all that it returned.
  std::array<size_t, 5> passed_ = {};
  int64_t taken_ = 0;
  std::unordered_map<Key, Place> places_;
  // Occurrences by code, without ignored issues.
  std::array<int64_t, kIssueCodes> occurrences_ = {};
  // Codes that were added, ignored ones included.
  std::array<bool, kIssueCodes> occurred_ = {};
  int64_t values_ = 0;
  int64_t non_finite_rows_ = 0;
  int64_t non_finite_runs_ = 0;
  // 0 if the rows are no lines.
  int64_t first_row_line_ = 0;
  // Has no line if the location is unknown.
  Location frame_time_place_;
  IssueCounts counts_;
  int64_t faults_ = 0;
  int64_t added_ = 0;
  bool truncated_ = false;
};

// --- Text of messages.

// `message` with each {name} replaced by the arg of that name, or removed if
// there is none. After an arg that is 1, a plural noun such as "frames" becomes
// singular.
std::string FillMessage(std::string_view message, const IssueArgs& args);

// `value` with at most four significant digits: "152.7", "1.41", "3.4e+38".
std::string Short(double value);
// A frame rate with at most five digits: 23.976, 59.94, 120.
std::string ShortRate(double frames_per_second);

}  // namespace bvhmill
