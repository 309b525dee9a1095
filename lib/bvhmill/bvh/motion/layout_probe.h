#pragma once

// Looks at rows that are not one frame a line, in constant memory, and judges
// what they are. Private to bvh/.

#include <cstdint>
#include <string_view>

#include "bvhmill/text/lines.h"

namespace bvhmill {

// How far a probe goes.
struct ProbeReach {
  // Not into a longer line, if it is not 0.
  int64_t max_line_bytes = 0;
  // Not beyond the line with which so many bytes are full.
  size_t bytes = std::string_view::npos;
};

// What the lines from some row on look like, up to the first word that is not
// a number, the end of the text, or of the reach.
struct LayoutProbe {
  // It went to the end of the text, or to a word that is not a number.
  bool complete = false;
  // Lines that hold values, and the values on them.
  int64_t lines = 0;
  int64_t values = 0;
  int64_t narrowest = 0;
  int64_t widest = 0;
  // Lines whose width is not that of a frame; the last of them.
  int64_t odd_lines = 0;
  int64_t last_odd_line = 0;
  int64_t last_width = 0;
  // The values up to the end of some line are just what is wanted.
  bool reaches_wanted = false;
  // A word that is not a number ended the probe...
  bool hit_word = false;
  // ...and it is cut off by the end of the text.
  bool word_ends_text = false;
};

// Surveys `text`. `width` = values of a frame; `wanted` = values of all frames
// that are still to come, or 0 if that is not known.
LayoutProbe ProbeLayout(std::string_view text, int64_t width, int64_t wanted,
                        const ProbeReach& reach);

enum class RowLayout {
  kBroken,
  kFlowing,         // the count of values is right, line ends mean nothing
  kSurplusColumns,  // each row is equally too wide
  kLastRowShort,    // the file was cut in its last row
};

// What the probe of the rows behind `good_rows` full ones means. `declared` =
// what Frames says, 0 if nothing. Of a probe that is not complete, this is
// what is most likely: the reader must see whether it holds to the end.
RowLayout ChooseLayout(const LayoutProbe& probe, int64_t good_rows,
                       int64_t width, int64_t declared);

}  // namespace bvhmill
