#pragma once

// The functions that each format defines in the file of its encoder. Private to
// encode/.

#include <memory>

#include "absl/status/status.h"
#include "bvhmill/encode/encoder.h"

namespace bvhmill {

// For each row of formats.inc:
// * MakeNameEncoder returns an encoder for options that pass the check.
// * CheckNameFormat returns INVALID_ARGUMENT "NAME.field: why" for an option
//   that is invalid for every clip.
#define BVHMILL_FORMAT(Name, ...)                                           \
  std::unique_ptr<Encoder> Make##Name##Encoder(const Name##Format& format); \
  absl::Status Check##Name##Format(const Name##Format& format);
#include "bvhmill/encode/formats.inc"

}  // namespace bvhmill
