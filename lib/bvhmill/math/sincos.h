#pragma once

// Sine and cosine of an angle in degrees, in single precision. SinCosDegrees
// (sincos-inl.h) is the same for a vector of angles; its results depend on the
// CPU, which may fuse.

#include <bit>
#include <cstdint>

namespace bvhmill {

// The largest angle, in degrees and by magnitude, for which both functions keep
// their error bounds. Larger angles must first be reduced below a full turn;
// std::fmod(angle, 360) is exact.
inline constexpr float kMaxSinCosDegrees = 4e7F;

struct SinCos {
  float sine;
  float cosine;
};

// Errors are at most 2.5e-7 for |degrees| <= kMaxSinCosDegrees. For loops that
// a compiler vectorises. Results become the bytes of files, so they must be the
// same on every CPU: compile with -ffp-contract=off. The reduction and the
// polynomials are those of sincos-inl.h, which explains them.
inline SinCos FastSinCos(float degrees) {
  constexpr float kMagic = 12582912.0F;
  const float q = degrees * (1.0F / 180) + kMagic;
  const float n = q - kMagic;
  const float r = degrees - n * 180.0F;
  const uint32_t sign = std::bit_cast<uint32_t>(q) << 31;
  const float z = r * r;
  float s = 0x1.d770a6p-72F * z + -0x1.c28eb8p-54F;
  float c = -0x1.ad9804p-81F * z + 0x1.f7e77ep-63F;
  s = s * z + 0x1.dad3f0p-37F;
  c = c * z + -0x1.619bacp-45F;
  s = s * z + -0x1.dbb808p-21F;
  c = c * z + 0x1.09b11ep-28F;
  s = s * z + 0x1.1df46ap-6F;
  c = c * z + -0x1.3f6a1ep-13F;
  s = s * r;
  c = c * z + 1.0F;
  return {std::bit_cast<float>(std::bit_cast<uint32_t>(s) ^ sign),
          std::bit_cast<float>(std::bit_cast<uint32_t>(c) ^ sign)};
}

}  // namespace bvhmill
