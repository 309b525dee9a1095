#pragma once

// Whoever takes a clip while it is read.

#include <cstdint>
#include <span>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// What is known of a clip before its first row is read.
struct ClipHeader {
  const Skeleton& skeleton;
  // Where each node of the skeleton begins.
  std::span<const TextPosition> node_positions;
  // Of both.
  RigId rig = 0;
  // Seconds, as the file says; 0 if it does not.
  double frame_time = 0;
  // What Frames says, which rows may belie; 0 if it says nothing.
  int64_t declared_frames = 0;
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
