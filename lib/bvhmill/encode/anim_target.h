#pragma once

// The part of a clip that an .anim can hold: finds the joints of the avatar
// that the clip drives, and logs the issues that these or the frames cause.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/output.h"

namespace bvhmill {

struct AvatarNaming {
  // As in ClipToAnimOptions. Empty: joints have the avatar's own names.
  std::vector<std::string> names;
  // The naming scheme that was recognized, or "mixed" if the names are those of
  // several schemes; empty if the format has a map, or no scheme fits.
  std::string_view map;
  // Number of bones of the avatar that the clip drives.
  int64_t bones = 0;
};

// The work and the bytes of memory that a caller of NameAvatarJoints draws for
// each node.
inline constexpr int64_t kAvatarNameUnits = 1500;
inline constexpr int64_t kAvatarNameBytes = 128;

// Names the joints of `skeleton` by the map of `format`, which must pass
// CheckAnimFormat. A map is read as by NamesByMap. A joint that is not in the
// map is searched by its own name.
//
// If the format names no map, joints are named by their roles (Recognize).
// These must drive at least four bones, and more than the joints' own names do.
AvatarNaming NameAvatarJoints(const AnimFormat& format,
                              const Skeleton& skeleton);

// Checks whether an .anim can hold the clip, by everything except its rows.
// Logs TARGET_ANIM_ issues to context.log, which must not be null. Draws
// kAvatarNameUnits of work for each node from context.budget. If the
// budget refuses, the checks are done anyway; the next draw fails.
void CheckAnimTarget(const AnimFormat& format, const EncodeContext& context);

}  // namespace bvhmill
