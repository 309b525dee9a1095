#pragma once

namespace bvhmill {

// SinCosDegrees keeps its error bound up to this angle. Larger angles must
// first be reduced below a full turn; std::fmod does this exactly.
inline constexpr float kMaxSinCosDegrees = 4e7F;

}  // namespace bvhmill
