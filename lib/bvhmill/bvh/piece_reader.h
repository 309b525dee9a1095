#pragma once

// The interface of readers of clips that arrive in pieces, of any format.

#include <string_view>

#include "bvhmill/bvh/clip_receiver.h"

namespace bvhmill {

// Reads one clip and passes it to a ClipReceiver. Gives the issues and the rows
// of the whole clip, for any cut into pieces.
class PieceReader {
 public:
  PieceReader() = default;
  virtual ~PieceReader() = default;
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  // Reads the next piece. Returns false if no further pieces are needed: the
  // clip is refused or cancelled, or the receiver has stopped it. Further
  // pieces are allowed even then; they only count towards max_clip_bytes.
  virtual bool Push(std::string_view piece) = 0;
  // True if Flush would pass on rows, or try to.
  virtual bool CanFlush() const { return false; }
  virtual void Flush() {}
  // The clip has ended. Call once.
  virtual StreamResult Finish() = 0;
};

}  // namespace bvhmill
