#pragma once

// The naming scheme of a clip, for people and as JSON.

#include <string>

#include "bvhmill/clip/clip_info.h"

namespace bvhmill::client {

// "mixamo, 22 of 22 joints, prefix mixamorig:"; "mixed, 20 of 22 joints" for
// names of several schemes; "unknown".
std::string NamingText(const ClipInfo& info);

// {"scheme":"mixamo","prefix":"mixamorig:","matched":22}, with the scheme null
// if it is unknown or mixed.
std::string NamingJson(const ClipInfo& info);

}  // namespace bvhmill::client
