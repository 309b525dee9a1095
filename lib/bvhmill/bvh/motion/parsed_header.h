#pragma once

// The part of a file before the rows. Private to bvh/.

#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/bvh/motion/motion_header.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ParsedHeader {
  // What remembers hierarchies; null = nothing.
  HierarchyCache* cache = nullptr;
  Hierarchy hierarchy;
  MotionHeader header;
  // The hierarchy is good. Once the header is certain, hierarchy.source is set.
  bool skeleton_read = false;
  // So is all else.
  bool good = false;
  // There are rows, and it is known where and how wide they are: they can be
  // read, or, if the header are not good, searched for faults.
  bool has_rows = false;
  // No text behind what was given could change anything of this.
  bool certain = false;
};

// Reads the hierarchy and the header of MOTION from the beginning of `text`
// into `header`, which may hold those of another text, and settles the points
// of the hierarchy that the first row decides. `ends_file`: `text` is all of
// the file. Otherwise the header may not be certain; then nothing of this call
// counts, `log` is as before, and more text is needed: never more than
// max_header_bytes. The views of `header` are into `text`. Cost: O(bytes up to
// the rows).
void ReadHeader(std::string_view text, bool ends_file, const Limits& limits,
                IssueLog* log, ParsedHeader* header);

}  // namespace bvhmill
