#pragma once

// An .anim as JSON: all that is in it.

#include <string>

#include "client/cli/anim/anim_file.h"

namespace bvhmill::client {

// One object on one line, with its end: file, bytes, plays, uploads, motion
// (with every key, as its codes and as what they stand for), report. Numbers
// that are not finite are null. There is no motion if the bytes made no sense,
// and "error" instead of all if the file could not be read.
std::string AnimJson(const AnimFile& file);

}  // namespace bvhmill::client
