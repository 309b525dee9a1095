#pragma once

// All limits on the cost of one clip. Each limit is checked before the memory
// it guards is taken. 0 means: no such limit.

#include <cstdint>

namespace bvhmill {

struct Limits {
  // Bytes of BVH text, after decompression.
  int64_t max_clip_bytes = int64_t{2} << 30;
  // Bytes of everything before the second row of MOTION: the hierarchy, the
  // header of MOTION, the first row, and blank lines and comments between them.
  int64_t max_header_bytes = int64_t{64} << 20;
  // Bytes of one line of text, without its line end.
  int64_t max_line_bytes = int64_t{64} << 20;
  // Bytes of one joint name.
  int64_t max_name_bytes = 4096;
  // Number of ROOTs, JOINTs and End Sites together.
  int64_t max_joints = 20'000;
  // Joints on the path from a ROOT down to a leaf, both included.
  int64_t max_depth = 10'000;
  // Columns of a MOTION row.
  int64_t max_channels = 200'000;
  // Frames that are read from one clip.
  int64_t max_frames = 50'000'000;
  // Distinct issues that a report lists. Its counts stay exact above this.
  int64_t max_issues = 100;
  // Outputs requested for one clip.
  int64_t max_outputs = 16;
  // Bytes of all outputs of one clip together.
  int64_t max_output_bytes = int64_t{16} << 30;
  // Bytes of memory that the conversion of one clip holds at one time.
  int64_t max_memory_bytes = 0;
  // Work on one clip, in units of about one nanosecond of one core. The limit
  // is max_work plus max_work_per_byte for each byte of the clip as it was
  // received, compressed or not. max_work = 0 means: no limit on work.
  int64_t max_work = 1'000'000'000;
  int64_t max_work_per_byte = 2'000;

  bool operator==(const Limits&) const = default;
};

// True if `value` is above `limit`; false if there is no limit.
constexpr bool Exceeds(int64_t value, int64_t limit) {
  return limit > 0 && value > limit;
}

}  // namespace bvhmill
