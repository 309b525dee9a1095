#pragma once

// Little packed text that unfolds to gigabytes.

#include <string>

#include "tests/server/http2.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {

// The text before rows of three numbers.
inline std::string Head(const std::string& frames) {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
         "Yrotation\n}\nMOTION\nFrames: " +
         frames + "\nFrame Time: 0.01\n";
}

// A text that begins with `head` and goes on with `more` for three gigabytes;
// packed pieces make one text.
inline std::string Bomb(std::string (*pack)(const std::string&),
                        const std::string& head, const std::string& more) {
  constexpr size_t kPiece = size_t{48} << 20;
  const std::string piece =
      pack(Repeat(more, static_cast<int>(kPiece / more.size())));
  return pack(head) + Repeat(piece, 64);
}

inline std::string PackZstd(const std::string& text) { return Zstd(text); }

}  // namespace bvhmill::testing
