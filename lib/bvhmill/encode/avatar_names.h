#pragma once

// Finds the avatar joint for each joint of a clip. Private to encode/.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/skeleton.h"
#include "bvhmill/encode/output.h"

namespace bvhmill {

// Instead of a scheme: the names are those of several schemes.
inline constexpr std::string_view kMixedNames = "mixed";

struct AvatarNaming {
  // As in ClipToAnimOptions. Empty: joints have the avatar's own names.
  std::vector<std::string> names;
  // The naming scheme that was recognized, or kMixedNames; empty if a map was
  // given, or no scheme fits.
  std::string_view map;
  // Number of bones of the avatar that the clip drives.
  int64_t bones = 0;
};

// Names the joints of `skeleton` by the map of `format`, which must pass
// CheckAnimFormat. A map is read as by NamesByMap. A joint that is not in the
// map is searched by its own name.
//
// If the format names no map, joints are named by their roles (Recognize).
// These must drive at least four bones, and more than the joints' own names do.
//
// Draws nothing: for each node the caller draws kAvatarNameUnits of work and
// kAvatarNameBytes of memory.
inline constexpr int64_t kAvatarNameUnits = 1500;
inline constexpr int64_t kAvatarNameBytes = 128;
AvatarNaming NameAvatarJoints(const AnimFormat& format,
                              const Skeleton& skeleton);

}  // namespace bvhmill
