#pragma once

// Reads all text before the rows: the hierarchy and the header of MOTION.
// Private to bvh/.

#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/bvh/hierarchy/hierarchy.h"
#include "bvhmill/bvh/motion/motion_header.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ParsedHeader {
  // Keeps hierarchies for later clips; may be null.
  HierarchyCache* cache = nullptr;
  // The encoding of names, if the caller states it.
  TextEncoding names = TextEncoding::kUnknown;
  Hierarchy hierarchy;
  MotionHeader header;
  // True if the hierarchy is valid. hierarchy.source is set as soon as the
  // header is certain.
  bool skeleton_read = false;
  // True if everything before the rows is valid.
  bool good = false;
  // True if there are rows and their position and width are known. They can
  // then be read; or, if `good` is false, be searched for faults.
  bool has_rows = false;
  // True if no text after the given text can change this result.
  bool certain = false;
};

// Reads the hierarchy and the header of MOTION from the beginning of `text`
// into `header`, and decides by the first row which channel counts hold.
// `header` may hold an earlier result.
//
// `ends_file` says that `text` is the complete file. Otherwise the result may
// not be certain: then it must not be used, `log` is unchanged, and the caller
// passes more text, but never more than max_header_bytes. The views in `header`
// point into `text`. Cost: O(bytes up to the rows).
void ReadHeader(std::string_view text, bool ends_file, const Limits& limits,
                IssueLog* log, ParsedHeader* header);

}  // namespace bvhmill
