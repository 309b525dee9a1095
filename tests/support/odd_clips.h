#pragma once

// BVH texts that are unusual or broken, for tests that convert all of them.

#include <string>
#include <vector>

namespace bvhmill::testing {

struct OddClip {
  std::string name;
  std::string text;
};

// The .bvh files of tests/data (cases, golden, malformed), then MadeOddClips().
// At most a few hundred KB of text each.
std::vector<OddClip> OddClips();

// Only those made in code: no frames, one frame, no channels, no motion, one
// joint, ten roots, values that are not finite, broken rows, deep, wide, equal
// names, empty. A clip without frames follows one of the same skeleton that has
// some, so that arrays left over from the clip before show.
std::vector<OddClip> MadeOddClips();

}  // namespace bvhmill::testing
