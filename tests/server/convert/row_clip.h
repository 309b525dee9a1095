#pragma once

// A clip of one joint, with as many rows as a test wants, and units of bytes.

#include <cstdint>
#include <string>

namespace bvhmill::testing {

inline constexpr int64_t kKiB = 1024;
inline constexpr int64_t kMiB = 1024 * kKiB;
// The positions of a frame are a joint of three floats.
inline constexpr int64_t kPositionBytes = 12;

inline std::string ClipOf(int frames) {
  std::string text =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation "
      "Zrotation\n}\nMOTION\nFrames: " +
      std::to_string(frames) + "\nFrame Time: 0.01\n";
  for (int i = 0; i < frames; ++i)
    text += "1.5 2.5 " + std::to_string(i) + "\n";
  return text;
}

}  // namespace bvhmill::testing
