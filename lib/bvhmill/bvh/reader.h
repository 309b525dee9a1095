#pragma once

// Reads a whole BVH file from memory into a clip.
//
//   IssueLog log(ReportOptions{});
//   ReadResult result = ReadBvh(text, ReadOptions{}, &log);
//   Report report = log.Finish(result.skeleton_read, result.motion_read);

#include <string_view>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ReadResult {
  Clip clip;
  // Position where each node of the skeleton begins.
  std::vector<TextPosition> node_positions;
  // True if the hierarchy is valid.
  bool skeleton_read = false;
  // True if the rows are valid too, so that the clip is complete. If only the
  // skeleton is valid, the clip has the rows before the first fault.
  bool motion_read = false;
};

// Reads `text`, repairs faults that have only one interpretation, and logs each
// repair and fault with its line and column. Throws nothing but std::bad_alloc.
// Memory grows with the data that is read, within the limits, and never by a
// number that the file states. Cost: O(bytes).
//
// Stops early, without a fault in the log, if it is cancelled.
ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log);

}  // namespace bvhmill
