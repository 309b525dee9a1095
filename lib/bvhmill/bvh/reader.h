#pragma once

// Reads a whole BVH file from memory.

#include <string_view>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/place.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ReadResult {
  Clip clip;
  // Where each node of the skeleton begins.
  std::vector<Place> node_places;
  // The hierarchy is good.
  bool skeleton_read = false;
  // The rows are good, too: the clip is whole. If false while the skeleton is
  // good, the clip holds the rows before the first fault.
  bool motion_read = false;
};

// Reads `text`, repairs what has one reading only, and logs every repair and
// fault with its line and column. Never throws; memory grows with what is read
// within `limits`, never by a number that the file states. Cost: O(bytes).
//
// Stops early, without a fault in the log, when `cancel` is set; may be null.
ReadResult ReadBvh(std::string_view text, const Limits& limits,
                   const CancelToken* cancel, IssueLog* log);

}  // namespace bvhmill
