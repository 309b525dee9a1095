#pragma once

// The content of an .anim file for people (AnimFacts) and as JSON (AnimJson).

#include <string>

#include "client/cli/anim/anim_file.h"

namespace bvhmill::client {

// Lines of text: header, constraints, a table of the joints and, if
// `with_keys`, all keyframes. If the bytes cannot be decoded, only name and
// size. Every line has its end.
std::string AnimFacts(const AnimFile& file, bool with_keys);

// The whole content as one JSON object on one line, with its line end;
// docs/schema/inspect.schema.json describes it. Each keyframe has the 16-bit
// codes of the file and the values that they stand for. `motion` is null if the
// bytes cannot be decoded. If the file cannot be read, all keys but `file` and
// `error` are null.
std::string AnimJson(const AnimFile& file);

}  // namespace bvhmill::client
