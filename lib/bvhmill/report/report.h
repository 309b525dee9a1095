#pragma once

// What was found out about a clip, as data. An issue is a fault or a remark
// with its place; equal issues (same code, same joint) are folded into one with
// the place of the first and an exact count.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/report/catalogue.h"

namespace bvhmill {

enum class Verdict {
  kValid = 1,   // no error, no warning
  kAccepted,    // no error, but warnings or repairs
  kInvalid,     // errors, but the skeleton could be read
  kUnreadable,  // no skeleton could be read
};

// "valid", "accepted", "invalid", "unreadable".
std::string_view VerdictName(Verdict verdict);

// True if a clip with this verdict is converted.
constexpr bool IsGood(Verdict verdict) {
  return verdict == Verdict::kValid || verdict == Verdict::kAccepted;
}

// Only what applies is set. Line and column count from 1 (columns in bytes),
// everything else from 0. `joint` is the place in the file's depth-first order
// of joints and end sites.
struct Location {
  std::optional<int64_t> byte_offset;
  std::optional<int64_t> line;
  std::optional<int32_t> column;
  std::optional<int64_t> frame;
  std::optional<int32_t> joint;
  std::optional<int32_t> channel;
  // UTF-8.
  std::string joint_name;
};

// Byte, line and column of `place`.
Location LocationAt(const TextPosition& place);

using IssueArgs = std::vector<std::pair<std::string, std::string>>;

struct Issue {
  // A name of the catalogue; of a newer one if it came over the wire.
  std::string code;
  Severity severity = Severity::kError;
  // For people: UTF-8, one line.
  std::string message;
  Location location;
  int64_t occurrences = 1;
  // Every variable part of the message.
  IssueArgs args;
};

struct IssueCounts {
  int64_t errors = 0;
  int64_t warnings = 0;
  int64_t infos = 0;
  int64_t hints = 0;
};

struct Report {
  Verdict verdict = Verdict::kUnreadable;
  // Occurrences, exact whatever was truncated; ignored codes are not counted.
  IssueCounts counts;
  // Most severe first, then by place in the file.
  std::vector<Issue> issues;
  // True: there are more distinct issues than are listed.
  bool truncated = false;
  std::string rules_version{kRulesVersion};
};

// The first error of the report, or null.
const Issue* FirstError(const Report& report);

// Adds what was found out about the same clip later; at most `max_issues` (0:
// any number) are listed. The verdict gets no better.
void AddToReport(Report&& more, int64_t max_issues, Report* report);

// "12:5: error: MOTION_NUMBER_INVALID: 1,5 is not a number (frame 3, Hips)":
// one line for people, in the manner of a compiler, without a file name. Of a
// file that is not text: "byte 12: ".
std::string RenderIssue(const Issue& issue);

}  // namespace bvhmill
