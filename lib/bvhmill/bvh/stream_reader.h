#pragma once

// Reads a BVH file that arrives piece by piece.

#include <cstdint>
#include <memory>
#include <string_view>

#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The issues and the frames are those that ReadBvh finds in the whole text,
// however it is cut into pieces. Memory: until the rows begin, what came
// so far, which is refused when it is more than max_header_bytes; then the
// skeleton, one tile of frames, and the text of one line, or look_ahead_bytes
// where a line is odd. Not thread-safe.
class StreamReader {
 public:
  // `log` and `receiver` must outlive it; so must what `options` points to.
  // `options.parallel` is not used. The header stay as long as the reader. Each
  // call with frames has the same number of them, but for the last one and
  // those by Flush.
  StreamReader(const ReadOptions& options, IssueLog* log,
               ClipReceiver* receiver);
  ~StreamReader();
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  // Takes the next piece. False if nothing of what may follow is wanted: the
  // clip is refused, cancelled, or the receiver has stopped it. More pieces may
  // come nevertheless.
  bool Push(std::string_view piece);
  // There may be something that waits for more text, and need not.
  bool CanFlush() const;
  // Gives the frames that came to the receiver, though they are no full tile.
  // Costs no more than the text that came, however often it is called.
  void Flush();
  // The file has ended. Call once.
  StreamResult Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill
