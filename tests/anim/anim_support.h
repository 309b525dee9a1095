#pragma once

// Motions for tests, and their bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill::testing {

// The file of `motion`.
std::string BytesOf(const AnimMotion& motion);
// Reads an .anim file without limits and returns its motion.
AnimMotion MotionOf(std::string_view bytes);

// mPelvis with rotations and positions, mTorso with rotations, 2 s; a
// constraint of PELVIS to the ground. The viewer accepts it.
AnimMotion SmallMotion();

// Any motion that a file can hold, sensible or not: all fields random.
AnimMotion RandomMotion(uint64_t seed);

// Fails the test if the two differ, and prints the first difference.
void ExpectSameMotion(const AnimMotion& actual, const AnimMotion& expected);

}  // namespace bvhmill::testing
