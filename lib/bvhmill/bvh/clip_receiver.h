#pragma once

// The receiver of a clip that is being read.

#include <cstdint>
#include <span>

#include "bvhmill/bvh/source_skeleton.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The facts of a clip that stand before its first row.
struct ClipHeader {
  // Not null.
  SharedSkeleton source;
  // Seconds, as the file says; 0 if it does not.
  double frame_time = 0;
  // The number after "Frames:"; 0 without one. The rows may be more or fewer.
  int64_t declared_frames = 0;

  const Skeleton& skeleton() const { return source->skeleton; }
  // The channels of a row.
  int64_t width() const {
    return static_cast<int64_t>(source->skeleton.channels.size());
  }
};

// Values of the frames that a reader of pieces hands on at once; one frame may
// have more.
inline constexpr int64_t kTileValues = int64_t{1} << 16;

// Returning false stops the reading.
class ClipReceiver {
 public:
  virtual ~ClipReceiver() = default;

  // Once, before any frame; not at all if there is no good skeleton. `header`
  // stays as long as the reader says.
  virtual bool OnHeader(const ClipHeader& header) = 0;
  // The next frames: frame-major, one value for each channel.
  virtual bool OnFrames(int64_t first_frame, int64_t frames,
                        std::span<const float> values) = 0;
};

// Takes tiles of frames from several threads at once, each in two steps: what
// takes long, and then, in order, what must be in order.
class TileReceiver : public ClipReceiver {
 public:
  // Some frames, it is not known which. By several workers at once, tiles in
  // any order. A worker goes on to its next tile behind the turn of this one,
  // and the values stay until then. It may have no turn.
  virtual void OnTile(int worker, int64_t frames,
                      std::span<const float> values) = 0;
  // The tile that `worker` had last is the next one. One turn at a time.
  virtual bool OnTileInOrder(int worker, int64_t first_frame, int64_t frames,
                             std::span<const float> values) = 0;
};

struct StreamResult {
  bool skeleton_read = false;
  // The rows are good, too. If not, frames from `frames` on are void, should
  // the receiver have got any.
  bool motion_read = false;
  int64_t frames = 0;
};

}  // namespace bvhmill
