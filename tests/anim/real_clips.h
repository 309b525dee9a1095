#pragma once

// Real takes as clips that the avatar can play.

#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

struct RealClip {
  std::string file;
  Clip clip;
};

// The takes of BVHMILL_DATA whose rows can be read, at most 59 s of each. Nodes
// have names of the avatar's joints, by the map that knows most of them. None
// without BVHMILL_DATA.
std::vector<RealClip> RealClips();

}  // namespace bvhmill::testing
