#pragma once

// The files of edit/maps as text, compiled into the library.

#include <span>
#include <string_view>

namespace bvhmill {

struct BuiltInMap {
  std::string_view name;
  std::string_view csv;
};

// In alphabetical order.
std::span<const BuiltInMap> BuiltInMaps();

}  // namespace bvhmill
