#pragma once

// Reads the regular rows of a long text with several threads. Private to bvh/.

#include <cstddef>
#include <string_view>

#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/rows/matrix_sink.h"

namespace bvhmill {

// Reads rows from the beginning of `text`, which must be whole lines, into the
// sink of `reader`, as long as every line has exactly one frame, and tells
// `reader` how far it got. Returns the number of bytes taken; 0 if several
// threads are of no use, or if options.parallel is null.
size_t ReadRowsInParallel(std::string_view text, const ReadOptions& options,
                          MotionReader* reader, MatrixSink* sink);

}  // namespace bvhmill
