#pragma once

namespace bvhmill {

// SinCosDegrees is exact enough up to here; larger angles are first brought
// below a turn, which std::fmod does exactly.
inline constexpr float kMaxSinCosDegrees = 4e7F;

}  // namespace bvhmill
