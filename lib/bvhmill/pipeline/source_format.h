#pragma once

// The registry of source formats: the file formats that can be read.

#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/pipeline/options.h"

namespace bvhmill {

struct SourceFormatInfo {
  SourceFormat format = SourceFormat::kBvh;
  // The name on the command line.
  std::string_view name;
  std::string_view media_type;
  // The file extension, with the dot.
  std::string_view extension;
  // True: rows are read as their bytes arrive, and the work on a clip grows
  // with its bytes. False: all bytes of a clip are kept before it is read, and
  // few bytes may become many rows.
  bool streams = false;
};

// In the order of their numbers.
std::span<const SourceFormatInfo> SourceFormats();

// Requires that `format` is a value of the enum.
const SourceFormatInfo& InfoOf(SourceFormat format);

// The format with this number or this name; nullopt if there is none.
std::optional<SourceFormat> SourceFormatOfNumber(int number);
std::optional<SourceFormat> SourceFormatOfName(std::string_view name);

}  // namespace bvhmill
