#pragma once

// Interfaces for code that receives the frames of a clip while it is read. The
// readers call them in this order: OnHeader once, then OnFrames or OnTile and
// OnTileInOrder for the frames.

#include <cstdint>
#include <span>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// Data of a clip that is known before its first row is read.
struct ClipHeader {
  // The skeleton and the text positions of its nodes. Not null.
  SharedSkeleton source;
  // Seconds per frame, as the file states it; 0 if it states none.
  double frame_time = 0;
  // The number of frames that the file states, which may be wrong; 0 if it
  // states none.
  int64_t declared_frames = 0;

  const Skeleton& skeleton() const { return source->skeleton; }
  // The channels of a row.
  int64_t width() const {
    return static_cast<int64_t>(source->skeleton.channels.size());
  }
};

// Number of values that a reader of pieces passes on at once. A single frame
// may have more.
inline constexpr int64_t kTileValues = int64_t{1} << 16;

// Each function may return false to stop the reading.
class ClipReceiver {
 public:
  virtual ~ClipReceiver() = default;

  // Called once, before any frame. Not called if no valid skeleton was read.
  // The reader states how long `header` stays valid.
  virtual bool OnHeader(const ClipHeader& header) = 0;
  // Receives the next frames: frame after frame, with one value per channel.
  virtual bool OnFrames(int64_t first_frame, int64_t frames,
                        std::span<const float> values) = 0;
};

// Receives tiles of frames from several threads at once, each in two steps.
// OnTile does the work that takes long, in any order. OnTileInOrder does the
// work that must be done in order.
class TileReceiver : public ClipReceiver {
 public:
  // Receives some frames whose index is not known yet. Several workers call it
  // at once, with tiles in any order. The values stay valid until OnTileInOrder
  // has returned for this tile, or until this worker's next tile if
  // OnTileInOrder is never called for it.
  virtual void OnTile(int worker, int64_t frames,
                      std::span<const float> values) = 0;
  // The tile that `worker` received last is the next one in order. Called by
  // one worker at a time.
  virtual bool OnTileInOrder(int worker, int64_t first_frame, int64_t frames,
                             std::span<const float> values) = 0;
};

struct StreamResult {
  bool skeleton_read = false;
  // True if the rows are valid too. If false, frames from `frames` on are not
  // valid, should the receiver have got any.
  bool motion_read = false;
  int64_t frames = 0;
};

}  // namespace bvhmill
