#pragma once

// Writes a clip as BVH text.

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct BvhWriteOptions {
  // Decimals of every value; -1: the shortest text that reads back as the same
  // float.
  int decimals = -1;
};

// Writes `clip` in the plainest dialect: tabs, LF, one frame a line, names as
// the bytes they were read as. With the shortest decimals, reading the text
// gives the clip back bit for bit (but for the sign and payload of a NaN).
// Fails only if `sink` does.
absl::Status WriteBvh(const Clip& clip, const BvhWriteOptions& options,
                      Sink* sink);

// In two steps, for rows that come in tiles: the hierarchy with a header that
// announces `frames`, then any number of rows of skeleton.channels.size().
absl::Status WriteBvhHead(const Skeleton& skeleton, int64_t frames,
                          double frame_time, const BvhWriteOptions& options,
                          Sink* sink);
absl::Status WriteBvhRows(const Skeleton& skeleton,
                          std::span<const float> values,
                          const BvhWriteOptions& options, Sink* sink);

}  // namespace bvhmill
