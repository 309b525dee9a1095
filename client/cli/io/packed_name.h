#pragma once

// Names of files that hold a compressed clip: NAME.bvh.gz and NAME.bvh.zst.

#include <string_view>

#include "bvhmill/unpack/decoder.h"

namespace bvhmill::client {

// The compression that the extension of `path` names; case is ignored.
Encoding EncodingOfName(std::string_view path);

// `path` without .gz or .zst if it is the name of a compressed clip.
std::string_view WithoutPacking(std::string_view path);

}  // namespace bvhmill::client
