#pragma once

// Logs the issues of rows. Private to bvh/.

#include <cstdint>
#include <span>

#include "bvhmill/bvh/motion/motion_header.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {

// The data that rows are compared with. The references must outlive it.
struct RowContext {
  const MotionHeader& header;
  const Skeleton& skeleton;
  // Number of values of a frame.
  int64_t width = 0;
};

int64_t CountWords(std::string_view line);

// The args {width} and {expected} of messages.
IssueArgs WidthArgs(const RowContext& context, int64_t values);

// True if the line begins with a number, so that it counts as a frame, valid or
// not.
bool IsRowLike(const Line& line);

// Reads `line`, the row of `frame`, in which blanks before signs are missing.
// Logs an issue and returns true if it has the values of a frame, and nothing
// else. Those that fit are written to `row`.
bool ReadGluedRow(const RowContext& context, const Line& line, int64_t frame,
                  std::span<float> row, IssueLog* log);

// Logs the first fault of `line` as the row of `frame`, if it has one; or that
// a blank is missing, if it can be read all the same.
void ReportRowFault(const RowContext& context, const Line& line, int64_t frame,
                    IssueLog* log);

// Logs the values that are not finite among the first `values` words of `line`
// from byte `begin` on. The first of these words is value number `first_value`
// of the whole matrix.
void ReportNonFinite(const RowContext& context, const Line& line, size_t begin,
                     int64_t values, int64_t first_value, IssueLog* log);

// Logs that the number of frames found differs from the number that the file
// states.
void ReportFrameCount(const RowContext& context, int64_t found, int64_t used,
                      IssueLog* log);

// Logs the first word of `line`, a line after the last frame.
void ReportTrailingData(const Line& line, IssueLog* log);

}  // namespace bvhmill
