#pragma once

// Places and codes for the tests of IssueLog.

#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/report/report.h"

namespace bvhmill::testing {

// One code of each severity, as the catalogue has them leniently.
inline constexpr IssueCode kError = IssueCode::MOTION_NUMBER_INVALID;
inline constexpr IssueCode kWarning = IssueCode::DATA_NOT_FINITE;
inline constexpr IssueCode kInfo = IssueCode::SKELETON_ZERO_LENGTH_BONE;
inline constexpr IssueCode kHint = IssueCode::DATA_ROOT_OFFSET_ADDITIVE;

inline Location At(int64_t line, int32_t joint = -1) {
  Location location;
  location.byte_offset = line * 100;
  location.line = line;
  location.column = 1;
  if (joint >= 0) location.joint = joint;
  return location;
}

// "CODE@line" of each listed issue.
inline std::vector<std::string> Listed(const Report& report) {
  std::vector<std::string> out;
  for (const Issue& issue : report.issues) {
    out.push_back(issue.code + "@" +
                  std::to_string(issue.location.line.value_or(0)));
  }
  return out;
}

}  // namespace bvhmill::testing
