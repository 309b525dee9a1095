#pragma once

// Names of files that hold a compressed clip: NAME.bvh.gz and NAME.bvh.zst.

#include <string_view>

#include "bvhmill/unpack/decoder.h"

namespace bvhmill::client {

// What the end of `path` says, whatever its case.
Encoding EncodingOfName(std::string_view path);

// `path` without the ending that says so.
std::string_view WithoutPacking(std::string_view path);

}  // namespace bvhmill::client
