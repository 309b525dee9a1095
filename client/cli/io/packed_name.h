#pragma once

// Reads the format of a file from its name, and its compression if the file is
// a compressed clip, such as NAME.bvh.gz or NAME.anim.zst. Ignores case. Opens
// no file.

#include <optional>
#include <string_view>

#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/unpack/decoder.h"

namespace bvhmill::client {

// The format that the extension of `path` names, before .gz or .zst if it has
// one of these; none if it names no format.
std::optional<SourceFormat> FormatOfName(std::string_view path);

// The compression that the extension of `path` names; kIdentity if `path` is
// not the name of a compressed clip.
Encoding EncodingOfName(std::string_view path);

// `path` without .gz or .zst if it is the name of a compressed clip.
std::string_view WithoutPacking(std::string_view path);

}  // namespace bvhmill::client
