#pragma once

// Names of joints without their namespace.

#include <cstddef>
#include <string_view>

namespace bvhmill {

// The part of a name after its last colon: "Hips" of "mixamorig:Hips".
inline std::string_view BareName(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

}  // namespace bvhmill
