#pragma once

// Reads the rows of MOTION into the matrix of a clip.

#include <cstdint>
#include <string_view>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/motion_header.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Reads rows from `header.rows` on. A regular file, one frame a line, is read
// in one pass. At the first line that is not a full row, the rest is surveyed
// in constant memory and judged: rows laid out otherwise, surplus columns, a
// last row that was cut, or faults, each of which is then reported.
//
// The matrix grows with the rows found, never by what Frames says. False if
// the file must be refused; `motion` then holds the good rows before the fault.
bool ReadMotion(std::string_view text, const MotionHeader& header,
                const Skeleton& skeleton, const Limits& limits,
                const CancelToken* cancel, IssueLog* log, Motion* motion);

// Number of values in the first row that is not blank and no comment.
int64_t FirstRowWidth(std::string_view text, const Place& rows);

}  // namespace bvhmill
