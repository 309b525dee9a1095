#pragma once

// Facts of Second Life's .anim format; docs/formats/anim.md is their twin in
// words. Everything is little endian and packed.

#include <cstddef>
#include <cstdint>

namespace bvhmill {

// The version that is written, and the older one that can be read: 0.1 has
// Euler degrees and times as single floats.
inline constexpr uint16_t kAnimVersion = 1;
inline constexpr uint16_t kAnimSubVersion = 0;
inline constexpr uint16_t kAnimLegacyVersion = 0;
inline constexpr uint16_t kAnimLegacySubVersion = 1;

// Seconds, this much included.
inline constexpr float kMaxAnimSeconds = 60.0F;
inline constexpr int64_t kMaxAnimJoints = 216;
// More of them, and the viewer reads none.
inline constexpr int32_t kMaxAnimConstraints = 10;
// The last volume of a chain counts as one, too; the viewer has room for so
// many.
inline constexpr int kMaxAnimChain = 3;
inline constexpr int kAnimConstraintTypes = 2;

// -1 of a joint: as the base priority. What the viewer clamps the base to is
// also the highest that means anything for a joint.
inline constexpr int32_t kMinAnimPriority = -1;
inline constexpr int32_t kMaxAnimPriority = 6;

// The viewer takes 14, too, although there is no such pose.
inline constexpr uint32_t kMaxAnimHandPose = 13;
inline constexpr uint32_t kMaxReadHandPose = 14;

// What the quantised values span: components of a unit quaternion, and metres.
inline constexpr float kAnimRotationRange = 1.0F;
inline constexpr float kAnimPositionRange = 5.0F;

// An upload of more bytes is refused by the server (not by the viewer).
inline constexpr int64_t kMaxAnimUploadBytes = 250'000;

// Bytes of the parts of a file: the header without the text of the emote, a
// joint without its name and keys, a key of versions 1.0 and 0.1, a name of
// fixed length, a constraint, and what is the least for a joint.
inline constexpr size_t kAnimHeaderBytes = 41;
inline constexpr size_t kAnimJointBytes = 13;
inline constexpr size_t kAnimKeyBytes = 8;
inline constexpr size_t kAnimLegacyKeyBytes = 16;
inline constexpr size_t kAnimFixedNameBytes = 16;
inline constexpr size_t kAnimConstraintBytes = 86;

}  // namespace bvhmill
