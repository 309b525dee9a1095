#pragma once

// Reads the format of a file from its name, and its compression if the file is
// a compressed clip, such as NAME.bvh.gz or NAME.anim.zst.

#include <optional>
#include <string_view>

#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/unpack/decoder.h"

namespace bvhmill::client {

// Case is ignored.
//
// The format that the extension of `path`, which may be that of a compressed
// clip, names; none if it names no format.
std::optional<SourceFormat> FormatOfName(std::string_view path);

// The compression that the extension of `path` names.
Encoding EncodingOfName(std::string_view path);

// `path` without .gz or .zst if it is the name of a compressed clip.
std::string_view WithoutPacking(std::string_view path);

}  // namespace bvhmill::client
