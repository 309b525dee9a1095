#pragma once

// Reads a whole BVH file from memory.

#include <string_view>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ReadResult {
  Clip clip;
  // The text position of each node of the skeleton.
  std::vector<TextPosition> node_positions;
  // The hierarchy is good.
  bool skeleton_read = false;
  // The rows are good, too: the clip is whole. If false while the skeleton is
  // good, the clip holds the rows before the first fault.
  bool motion_read = false;
};

// Reads `text`, repairs what has one reading only, and logs every repair and
// fault with its line and column. Never throws; memory grows with what is read
// within the limits, never by a number that the file states. Cost: O(bytes).
//
// Stops early, without a fault in the log, when it is cancelled.
ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log);

}  // namespace bvhmill
