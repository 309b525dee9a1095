#pragma once

// The whole content of an .anim file as JSON.

#include <string>

#include "client/cli/anim/anim_file.h"

namespace bvhmill::client {

// One object on one line, with its line end; docs/schema/inspect.schema.json
// describes it. Each keyframe has the 16-bit codes of the file and the values
// that they stand for. `motion` is null if the bytes cannot be decoded. If the
// file cannot be read, all keys but `file` and `error` are null.
std::string AnimJson(const AnimFile& file);

}  // namespace bvhmill::client
