#pragma once

// Clips of one long chain of joints.

#include <string>

namespace bvhmill::testing {

inline constexpr int kChainJoints = 31;
inline constexpr int kChainFrames = 500;

// Values are those of a `turn`, so that clips are alike, but not the same.
std::string ChainText(int turn, int frames = kChainFrames);

}  // namespace bvhmill::testing
