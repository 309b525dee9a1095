#pragma once

// The motion rules once more, in double precision, over the whole clip at once:
// the slow twin of lib/bvhmill/validate/motion. Written from the definitions of
// the rules, and simple rather than fast.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/report/report.h"

namespace bvhmill::testing {

struct Finding {
  std::string code;
  Severity severity = Severity::kWarning;
  // -1: not stated.
  int64_t node = -1;
  int64_t frame = -1;
  int64_t last_frame = -1;
  int64_t occurrences = 1;
  // Args that are numbers.
  std::map<std::string, double> numbers = {};
};

// The findings of the rules in `clip` with default thresholds, sorted by code
// and node. All values must be finite.
std::vector<Finding> ReferenceFindings(const Clip& clip);

}  // namespace bvhmill::testing
