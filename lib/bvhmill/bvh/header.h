#pragma once

// Reads all text of a BVH file before the rows: the hierarchy, then the lines
// MOTION, Frames and Frame Time. Accepts the spellings that real files have.
//
//   ParsedHeader header;
//   ReadHeader(text, /*ends_file=*/false, limits, &log, &header);
//   if (!header.certain) ...  // call again with more text

#include <cstdint>
#include <optional>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The largest number of frames that a header has; a larger one becomes this.
inline constexpr int64_t kMostFrames = 9'000'000'000'000'000'000;

// The lines between the hierarchy and the rows.
struct MotionHeader {
  // False if the file ends after the hierarchy.
  bool present = false;
  // The number of frames that the file states; nullopt if it states none.
  std::optional<int64_t> frames;
  TextPosition frames_place;
  // Seconds per frame; 0 if there is no Frame Time.
  double frame_time = 0;
  // Position where the rows begin.
  TextPosition rows;
  // False if unknown words come before them, which may have been rows.
  bool rows_known = true;
};

// Everything before the rows.
struct ParsedHeader {
  // Caches hierarchies for later clips; may be null.
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
// into `header`. The first row decides which channel counts hold. `header` may
// contain an earlier result.
//
// `ends_file` says that `text` is the complete file. Otherwise the result may
// not be certain: then it must not be used, `log` is unchanged, and the caller
// passes more text, but never more than max_header_bytes. The views in `header`
// point into `text`. Cost: O(bytes up to the rows).
void ReadHeader(std::string_view text, bool ends_file, const Limits& limits,
                IssueLog* log, ParsedHeader* header);

}  // namespace bvhmill
