#pragma once

// The file formats that can be read, one row each.

#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/pipeline/options.h"

namespace bvhmill {

// A row of the registry of source formats.
struct SourceFormatInfo {
  SourceFormat format = SourceFormat::kBvh;
  // The name on the command line.
  std::string_view name;
  std::string_view media_type;
  // The file extension, with the dot.
  std::string_view extension;
  // True: rows are read as their bytes arrive, and the work on a clip grows
  // with its bytes. False: a clip is gathered whole before it is read, and few
  // bytes may make many rows.
  bool streams = false;
};

// All source formats, in the order of their numbers.
std::span<const SourceFormatInfo> SourceFormats();

// The row of a format of the enum.
const SourceFormatInfo& InfoOf(SourceFormat format);

// The format with this number, or with this name; none if there is none.
std::optional<SourceFormat> SourceFormatOfNumber(int number);
std::optional<SourceFormat> SourceFormatOfName(std::string_view name);

}  // namespace bvhmill
