#pragma once

// Messages made of the bytes of an input, for fuzz targets.

#include <google/protobuf/message.h>

#include <span>
#include <string_view>

#include "tests/fuzz/bytes.h"

namespace bvhmill::fuzz {

// Fills `message` by its descriptor, so that a new field needs no new code:
// any field may be set, enums also to numbers that they do not have. Texts are
// mostly one of `words`, which must not be empty. The result can always be
// serialized and parsed.
void FillMessage(std::span<const std::string_view> words, Bytes* bytes,
                 google::protobuf::Message* message);

// The first byte chooses: the rest is parsed as `message`, or fills it. False
// if it cannot be parsed.
bool ReadOrFill(std::span<const std::string_view> words, Bytes* bytes,
                google::protobuf::Message* message);

// Equal fields; any NaN for any other, and 0 for -0.
bool AreEqual(const google::protobuf::Message& a,
              const google::protobuf::Message& b);

}  // namespace bvhmill::fuzz
