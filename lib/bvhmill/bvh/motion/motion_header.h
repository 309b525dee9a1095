#pragma once

// Reads what stands between the hierarchy and the rows: MOTION, Frames, Frame
// Time, each in the spellings that are found in the wild.

#include <cstdint>
#include <optional>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

struct MotionHeader {
  // False: the file ends behind the hierarchy.
  bool present = false;
  // What Frames says; nothing if it does not say.
  std::optional<int64_t> frames;
  TextPosition frames_place;
  // Seconds; 0 if there is no Frame Time.
  double frame_time = 0;
  // Where the rows begin.
  TextPosition rows;
  // False: words that are unknown stand before them, and may have been rows.
  bool rows_known = true;
};

// Reads from `cursor`, which stands before the word that ends the hierarchy.
// False if the file must be refused; the log then says why, with every fault of
// the header: none hides the next.
bool ReadMotionHeader(Cursor* cursor, IssueLog* log, MotionHeader* header);

}  // namespace bvhmill
