#pragma once

// Examines rows that are not one frame per line, in constant memory, and
// decides which layout they have. Private to bvh/.

#include <cstdint>
#include <string_view>

#include "bvhmill/text/lines.h"

namespace bvhmill {

// Limits of a probe.
struct ProbeReach {
  // Stops before a line longer than this; 0 means: no limit.
  int64_t max_line_bytes = 0;
  // Stops after the line that reaches this number of bytes.
  size_t bytes = std::string_view::npos;
};

// Statistics of the lines from some row on, up to the first word that is not a
// number, the end of the text, or a limit of the probe.
struct LayoutProbe {
  // True if the probe ended at the end of the text or at a word that is not a
  // number.
  bool complete = false;
  // Number of lines that have values, and of the values on them.
  int64_t lines = 0;
  int64_t values = 0;
  int64_t narrowest = 0;
  int64_t widest = 0;
  // Number of lines whose width is not that of a frame, and the index of the
  // last of them, counted from 1.
  int64_t odd_lines = 0;
  int64_t last_odd_line = 0;
  int64_t last_width = 0;
  // True if the number of values up to the end of some line is exactly
  // `wanted`.
  bool reaches_wanted = false;
  // A word that is not a number ended the probe.
  bool hit_word = false;
  // That word ends where the text ends, so it may be cut off.
  bool word_ends_text = false;
};

// Examines `text`. `width` is the number of values of a frame. `wanted` is the
// number of values in all frames that are still missing; 0 if it is not known.
LayoutProbe ProbeLayout(std::string_view text, int64_t width, int64_t wanted,
                        const ProbeReach& reach);

enum class RowLayout {
  kBroken,
  kFlowing,         // the number of values is right, line ends are ignored
  kSurplusColumns,  // all rows have the same number of extra values
  kLastRowShort,    // the file was cut off in its last row
};

// The layout that the probe of the rows after the first `good_rows` full ones
// indicates. `declared` is the number of frames that the file states; 0 if it
// states none. If the probe is not complete, this is the most likely layout,
// and the reader must check that it holds to the end.
RowLayout ChooseLayout(const LayoutProbe& probe, int64_t good_rows,
                       int64_t width, int64_t declared);

}  // namespace bvhmill
