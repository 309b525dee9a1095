#pragma once

// Writes a clip as BVH text: in one call, or the header first and then tiles of
// rows.

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct BvhWriteOptions {
  // Number of decimals of every value. -1: the shortest text that reads back as
  // the same float.
  int decimals = -1;
};

// Writes `clip` in the simplest form of BVH: indented with tabs, LF, one frame
// per line, names as they are in the clip: UTF-8 if it is from BVH text. With
// decimals = -1, reading the text gives the same clip bit for bit, except for
// the sign and the payload of a NaN. Fails only if `sink` fails.
absl::Status WriteBvh(const Clip& clip, const BvhWriteOptions& options,
                      Sink* sink);

// The same in two steps, for rows that arrive in tiles: first the hierarchy and
// a header that states `frames`, then any number of full rows of
// skeleton.channels.size() values.
absl::Status WriteBvhHead(const Skeleton& skeleton, int64_t frames,
                          double frame_time, const BvhWriteOptions& options,
                          Sink* sink);
absl::Status WriteBvhRows(const Skeleton& skeleton,
                          std::span<const float> values,
                          const BvhWriteOptions& options, Sink* sink);

}  // namespace bvhmill
