#pragma once

// The timed runs of the reading benchmark, and the comparisons made before
// them.

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
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::string text;
  // A part of `text`.
  std::string_view rows;
  size_t width = 0;
  std::vector<float> values;
};

// The whole text, into `read`, whose memory is kept.
void ReadWhole(std::string_view text, RowsTarget target, Parallel* parallel,
               ParsedClip* read);

// The whole text as a stream in pieces of 256 KiB, into `read`, whose memory is
// kept. Returns the frames; -1 if it was refused.
int64_t ReadStream(std::string_view text, ParsedClip* read);

// Compares every target, the whole text by one thread and by several, the
// stream, fast_float and strtof. Returns "" if they give the same values, bit
// for bit; else the name of one that differs.
std::string FindDifference(const Subject& subject, Parallel* parallel);

}  // namespace bvhmill::bench
