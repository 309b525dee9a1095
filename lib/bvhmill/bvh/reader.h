#pragma once

// Reads a whole BVH file from memory.

#include <string_view>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/source_skeleton.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// A clip as it was read. Its skeleton may be that of other clips, too.
struct ParsedClip {
  // Null unless the skeleton was read.
  SharedSkeleton source;
  Motion motion;
  // The hierarchy is good.
  bool skeleton_read = false;
  // The rows are good, too: the clip is whole. If false while the skeleton is
  // good, the clip holds the rows before the first fault.
  bool motion_read = false;
  // Memory for the next clip that is read into it.
  HierarchyRoom room;
};

// The same with a skeleton of its own.
struct ReadResult {
  Clip clip;
  // Where each node of the skeleton begins.
  std::vector<TextPosition> node_positions;
  bool skeleton_read = false;
  bool motion_read = false;
};

// Reads `text`, repairs what has one reading only, and logs every repair and
// fault with its line and column. Never throws; memory grows with what is read
// within the limits, never by a number that the file states. Cost: O(bytes).
//
// Stops early, without a fault in the log, when it is cancelled.
ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log);

// The same into `clip`, whose memory is used again: faster for many clips. The
// skeleton that it had stays as it is for others that hold it.
void ReadBvhInto(std::string_view text, const ReadOptions& options,
                 IssueLog* log, ParsedClip* clip);

// `clip` with a copy of the skeleton. The rows are moved.
Clip ClipOf(ParsedClip&& clip);

}  // namespace bvhmill
