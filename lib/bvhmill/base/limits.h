#pragma once

// Every limit on what one clip may cost, in one struct. Each is checked before
// the memory it guards is taken. 0 means: no limit of that kind.

#include <cstdint>

namespace bvhmill {

struct Limits {
  // Bytes of BVH text, decoded.
  int64_t max_clip_bytes = int64_t{2} << 30;
  // Bytes of hierarchy, header and first row, and what else stands there.
  int64_t max_header_bytes = int64_t{64} << 20;
  // Bytes of one line of text, without its line end.
  int64_t max_line_bytes = int64_t{64} << 20;
  // Bytes of one joint name.
  int64_t max_name_bytes = 4096;
  // ROOTs, JOINTs and End Sites together.
  int64_t max_joints = 20'000;
  // Joints from a ROOT down to a leaf, both counted.
  int64_t max_depth = 10'000;
  // Columns of a MOTION row.
  int64_t max_channels = 200'000;
  // Frames that are read.
  int64_t max_frames = 50'000'000;
  // Distinct issues that a report lists; its counts stay exact beyond it.
  int64_t max_issues = 100;
  // Outputs asked for in one request.
  int64_t max_outputs = 16;
  // Bytes of all the outputs of one clip together.
  int64_t max_output_bytes = int64_t{16} << 30;
  // Bytes of memory that the conversion of one clip holds at once.
  int64_t max_memory_bytes = 0;
  // Work on one clip, in units of about a nanosecond of one core: so much for
  // any clip, and so much more for each byte of it as it came, compressed or
  // not. 0 for max_work = no limit on work.
  int64_t max_work = 1'000'000'000;
  int64_t max_work_per_byte = 2'000;

  bool operator==(const Limits&) const = default;
};

// True if `value` is more than `limit` allows.
constexpr bool Exceeds(int64_t value, int64_t limit) {
  return limit > 0 && value > limit;
}

}  // namespace bvhmill
