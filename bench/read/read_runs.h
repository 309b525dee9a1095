#pragma once

// What the benchmark of reading times, and what it compares before.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"

namespace bvhmill::bench {

// A text, where its rows are, and an array for its values.
struct Subject {
  explicit Subject(std::string bvh);

  std::string text;
  std::string_view rows;
  size_t width = 0;
  std::vector<float> values;
};

// The whole text, into `read`, whose memory is kept.
void ReadWhole(std::string_view text, RowsTarget target, Parallel* parallel,
               ParsedClip* read);

// The whole text as a stream in pieces of 256 KiB, to a receiver that drops
// what it gets. Returns the frames; -1 if it was refused.
int64_t ReadStream(std::string_view text);

// The same of a clip whose rows are those of `subject`, `times` over. Returns
// how much more memory malloc had given out at the peak than before, in bytes,
// the pieces not counted; -1 if the clip was refused.
int64_t PeakOfStream(const Subject& subject, int64_t times);

// "" if every target, the whole text by one thread and by several, the stream,
// fast_float and strtof give the same values, bit for bit; else who does not.
std::string FindDifference(const Subject& subject, Parallel* parallel);

}  // namespace bvhmill::bench
