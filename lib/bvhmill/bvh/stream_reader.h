#pragma once

// Reads a BVH file that arrives piece by piece.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bvhmill/base/place.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// What is known of a clip before its first row is read.
struct ClipHeads {
  const Skeleton& skeleton;
  // Where each node of the skeleton begins.
  std::span<const Place> node_places;
  // Seconds, as the file says; 0 if it does not.
  double frame_time = 0;
  // What Frames says, which rows may belie; 0 if it says nothing.
  int64_t declared_frames = 0;
};

// Whoever takes the clip while it is read. Called by the thread that feeds the
// reader, within Push and Finish. Returning false stops the reading.
class ClipReceiver {
 public:
  virtual ~ClipReceiver() = default;

  // Once, before any frame; not at all if there is no good skeleton. `heads`
  // stays as long as the reader.
  virtual bool OnHeads(const ClipHeads& heads) = 0;
  // The next frames: frame-major, one value for each channel. Each call but the
  // last has the same number of frames, whatever the pieces were.
  virtual bool OnFrames(int64_t first_frame, int64_t frames,
                        std::span<const float> values) = 0;
};

struct StreamResult {
  bool skeleton_read = false;
  // The rows are good, too. If not, frames from `frames` on are void, should
  // the receiver have got any.
  bool motion_read = false;
  int64_t frames = 0;
};

// The issues and the frames are those that ReadBvh finds in the whole text,
// however it is cut into pieces. Memory: until the rows begin, what came
// so far, which is refused when it is more than max_header_bytes; then the
// skeleton, one tile of frames, and the text of one line, or look_ahead_bytes
// where a line is odd. Not thread-safe.
class StreamReader {
 public:
  // Values of a tile of frames, if a frame has not more.
  static constexpr int64_t kTileValues = int64_t{1} << 16;

  // `log` and `receiver` must outlive it; so must what `options` points to.
  // `options.parallel` is not used.
  StreamReader(const ReadOptions& options, IssueLog* log,
               ClipReceiver* receiver);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  // Takes the next piece. False if nothing of what may follow is wanted: the
  // clip is refused, cancelled, or the receiver has stopped it. More pieces may
  // come nevertheless.
  bool Push(std::string_view piece);
  // The file has ended. Call once.
  StreamResult Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
