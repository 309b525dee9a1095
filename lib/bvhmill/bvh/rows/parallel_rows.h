#pragma once

// Regular rows of a long text, read by several threads. Private to bvh/.

#include <cstdint>
#include <string_view>

#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/rows/matrix_sink.h"

namespace bvhmill {

// Bytes of the blank lines at the beginning of `text`, one of which mostly is
// the rest of the line before the rows.
size_t BlankLines(std::string_view text);

// Reads rows from the beginning of `text`, all that is left of the file, into
// the sink of `reader`, as far as there is just one frame on every line, and
// tells `reader` how far that was. Returns the bytes taken; 0 if the text is
// too short to be worth it. `options.parallel` must be there, `width` >= 0.
size_t ReadRowsInParallel(std::string_view text, int64_t width,
                          const ReadOptions& options, MotionReader* reader,
                          MatrixSink* sink);

}  // namespace bvhmill
