#pragma once

// Reads the lines between the hierarchy and the rows: MOTION, Frames, Frame
// Time. Accepts the spellings that real files have.

#include <cstdint>
#include <optional>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/text/cursor.h"

namespace bvhmill {

// The largest number of frames that a header has; a larger one becomes this.
inline constexpr int64_t kMostFrames = 9'000'000'000'000'000'000;

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

// Reads from `cursor`, which must be before the word that ends the hierarchy.
// Returns false if the file must be refused; the log then has every fault of
// the header, since reading continues after each.
bool ReadMotionHeader(Cursor* cursor, IssueLog* log, MotionHeader* header);

}  // namespace bvhmill
