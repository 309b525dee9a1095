#pragma once

// A clip as a reader fills it.

#include <cstdint>

#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// Its skeleton may be that of other clips, too.
struct ParsedClip {
  // Null unless the skeleton was read.
  SharedSkeleton source;
  Motion motion;
  // The number of frames that the file states, which may be wrong; 0 if it
  // states none.
  int64_t declared_frames = 0;
  // The hierarchy is good.
  bool skeleton_read = false;
  // The rows are good, too: the clip is whole. If false while the skeleton is
  // good, the clip holds the rows before the first fault.
  bool motion_read = false;
  // Memory for the next clip that is read into it.
  HierarchyRoom room;
};

// Drops the clip, but keeps its memory for the next one.
void MakeEmpty(ParsedClip* clip);

// `clip` with a copy of the skeleton. The rows are moved.
Clip ClipOf(ParsedClip&& clip);

}  // namespace bvhmill
