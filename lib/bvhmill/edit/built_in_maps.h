#pragma once

// The files of edit/maps as text, put into the library when it is built.

#include <span>
#include <string_view>

namespace bvhmill {

struct BuiltInMap {
  std::string_view name;
  std::string_view csv;
};

// In the order of the alphabet.
std::span<const BuiltInMap> BuiltInMaps();

}  // namespace bvhmill
