#pragma once

// A tile: consecutive frames that are solved and encoded together, and the
// buffers of a thread for it. Private to pipeline/.

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

// The buffers of one thread, kept from tile to tile and from clip to clip, and
// the time that the thread spent.
struct TileBuffers {
  // One for each array of the output plan.
  std::vector<UninitializedVector<float>> arrays;
  // Positions that velocities are derived from.
  UninitializedVector<float> positions;
  // Positions for row observers.
  UninitializedVector<float> observed;
  // The scratch memory of kinematics.
  UninitializedVector<float> scratch;
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds encode{};
};

struct TileRows {
  // Not used when a tile is solved, unless arrays are taken whole.
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x columns.
  std::span<const float> values;
  // The same with one more row before and after, where the clip has one. Empty
  // unless the output plan needs neighbours.
  std::span<const float> around;
  bool has_before = false;
  bool has_after = false;
};

// A tile without neighbours.
inline TileRows TileOf(int64_t first_frame, int64_t frames,
                       std::span<const float> values) {
  TileRows rows;
  rows.first_frame = first_frame;
  rows.frames = frames;
  rows.values = values;
  return rows;
}

}  // namespace bvhmill
