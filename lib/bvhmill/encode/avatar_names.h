#pragma once

// Which joints of a clip are which joints of the avatar. Private to encode/.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/output.h"

namespace bvhmill {

struct AvatarNaming {
  // As ClipToAnimOptions has them; none: joints have the avatar's own names.
  std::vector<std::string> names;
  // The map that was recognized; empty if one was named, or none fits.
  std::string_view map;
  // Bones of the avatar that the clip drives.
  int64_t bones = 0;
};

// Names the joints of `skeleton` by the map of `format`, which CheckAnimFormat
// passes. A map is looked up by the whole name of a joint, then by the part
// after its last colon; joints that it lacks are looked up by their own names.
//
// Where no map is named, that is chosen which drives most bones, four at least;
// of several the first of the alphabet. It must drive more bones than the
// joints' own names do.
//
// Cost, memory included: as below for each node; it draws nothing.
inline constexpr int64_t kAvatarNameUnits = 1500;
inline constexpr int64_t kAvatarNameBytes = 64;
AvatarNaming NameAvatarJoints(const AnimFormat& format,
                              const Skeleton& skeleton);

}  // namespace bvhmill
