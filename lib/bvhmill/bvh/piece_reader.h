#pragma once

// The interface of readers of clips that arrive in pieces, of any format.

#include <string_view>

namespace bvhmill {

// Reads one clip. Gives the issues and the rows of the whole clip, for any cut
// into pieces.
class PieceReader {
 public:
  PieceReader() = default;
  virtual ~PieceReader() = default;
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;

  // Reads the next piece. Returns false if no further pieces are needed: the
  // clip is refused or cancelled. Further pieces are allowed even then; they
  // only count towards max_clip_bytes.
  virtual bool Push(std::string_view piece) = 0;
  // The clip has ended: completes the ParsedClip that the reader was made with.
  // Call once.
  virtual void Finish() = 0;
};

}  // namespace bvhmill
