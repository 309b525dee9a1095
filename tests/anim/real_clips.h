#pragma once

// Takes as clips that the avatar can play: nodes have names of its joints, by
// the map that knows most of them.

#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

struct RealClip {
  std::string file;
  Clip clip;
};

// The takes of tests/samples.
std::vector<RealClip> SampleClips();

// The takes of BVHMILL_DATA whose rows can be read, at most 59 s of each. None
// without BVHMILL_DATA.
std::vector<RealClip> RealClips();

}  // namespace bvhmill::testing
