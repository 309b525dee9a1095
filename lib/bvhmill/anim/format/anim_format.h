#pragma once

// Constants of Second Life's .anim format; docs/formats/anim.md describes it.
// Everything is little-endian and packed.

#include <cstddef>
#include <cstdint>

#include "bvhmill/anim/format/anim_settings.h"

namespace bvhmill {

// The version that is written, and the older one that can be read. Version 0.1
// has angles as Euler degrees, and times as single floats.
inline constexpr uint16_t kAnimVersion = 1;
inline constexpr uint16_t kAnimSubVersion = 0;
inline constexpr uint16_t kAnimLegacyVersion = 0;
inline constexpr uint16_t kAnimLegacySubVersion = 1;

// Seconds, inclusive.
inline constexpr float kMaxAnimSeconds = 60.0F;
inline constexpr int64_t kMaxAnimJoints = 216;
// The largest chain length that the viewer has memory for. The last volume of a
// chain counts as well.
inline constexpr int kMaxAnimChain = 3;
inline constexpr int kAnimConstraintTypes = 2;

// The priorities of a joint. -1: as the base priority. The viewer clamps the
// base priority to kMaxAnimPriority, which is also the highest one that has an
// effect for a joint.
inline constexpr int32_t kMinAnimPriority = -1;
inline constexpr int32_t kMaxAnimPriority = 6;

// The viewer also accepts 14, although there is no such pose.
inline constexpr uint32_t kMaxAnimHandPose = 13;
inline constexpr uint32_t kMaxReadHandPose = 14;

// The ranges of quantised values are -range..range: components of a unit
// quaternion, and metres.
inline constexpr float kAnimRotationRange = 1.0F;
inline constexpr float kAnimPositionRange = 5.0F;

// Metres in an inch: INCHES_TO_METERS of the viewer's llbvhloader.cpp.
inline constexpr double kInchMetres = 0.02540005;

// The server (not the viewer) refuses an upload of more bytes.
inline constexpr int64_t kMaxAnimUploadBytes = 250'000;

// Sizes in bytes: the header without the text of the emote, a joint without its
// name and keys, a key of version 1.0 and of 0.1, a name of fixed length, a
// constraint.
inline constexpr size_t kAnimHeaderBytes = 41;
inline constexpr size_t kAnimJointBytes = 13;
inline constexpr size_t kAnimKeyBytes = 8;
inline constexpr size_t kAnimLegacyKeyBytes = 16;
inline constexpr size_t kAnimFixedNameBytes = 16;
inline constexpr size_t kAnimConstraintBytes = 86;

}  // namespace bvhmill
