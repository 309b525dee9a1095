#pragma once

// Clips of one long chain of joints.

#include <string>

namespace bvhmill::testing {

inline constexpr int kChainJoints = 31;
inline constexpr int kChainFrames = 500;

// `turn` chooses the values, so that clips are similar but not equal.
std::string ChainText(int turn, int frames = kChainFrames);

}  // namespace bvhmill::testing
