#pragma once

// The issues of rows. Private to bvh/.

#include <cstdint>

#include "bvhmill/bvh/motion/motion_header.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {

// What rows are compared with. The references must outlive it.
struct RowContext {
  const MotionHeader& header;
  const Skeleton& skeleton;
  // Values of a frame.
  int64_t width = 0;
};

int64_t CountWords(std::string_view line);

// {width} and {expected} of messages.
IssueArgs WidthArgs(const RowContext& context, int64_t values);

// True if the line begins with a number: it stands for a frame, if a faulty
// one.
bool IsRowLike(const Line& line);

// Logs the first fault of `line` as the row of `frame`, if it has any.
void ReportRowFault(const RowContext& context, const Line& line, int64_t frame,
                    IssueLog* log);

// Logs what is not finite among the `values` words of `line` from byte `begin`
// on, which became values from `first_value` on, counted over the whole matrix.
void ReportNonFinite(const RowContext& context, const Line& line, size_t begin,
                     int64_t values, int64_t first_value, IssueLog* log);

// Logs that Frames does not say how many frames were found.
void ReportFrameCount(const RowContext& context, int64_t found, int64_t used,
                      IssueLog* log);

// Logs the first word of `line`, which stands behind the last frame.
void ReportTrailingData(const Line& line, IssueLog* log);

}  // namespace bvhmill
