#pragma once

namespace bvhmill {

// The largest angle, in degrees and by magnitude, for which SinCosDegrees
// (sincos-inl.h) keeps its error bound. Larger angles must first be reduced
// below a full turn; std::fmod(angle, 360) is exact.
inline constexpr float kMaxSinCosDegrees = 4e7F;

}  // namespace bvhmill
