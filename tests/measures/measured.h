// Clips and options of the tests of measures.
#pragma once

#include <string>

#include "bvhmill/clip/clip.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

// Options that ask for measures alone.
ConvertOptions Measured();

std::string WrittenAsBvh(const Clip& clip);
Clip ReadClip(const std::string& text);

}  // namespace bvhmill::testing
