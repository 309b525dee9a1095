#pragma once

// The results of the viewer's import of BVH files.

#include <cstdint>
#include <string_view>

namespace bvhmill {

// The results that a file can lead to, with the viewer's numbers.
enum class ViewerStatus : uint8_t {
  kOk = 0,
  kEof = 1,
  kNoHierarchy = 4,
  kNoJoint = 5,
  kNoName = 6,
  kNoOffset = 7,
  kNoChannels = 8,
  kNoRotation = 9,
  kNoAxis = 10,
  kNoFrames = 12,
  kNoFrameTime = 13,
  kNoPosition = 14,
  kBadRoot = 31,
};

// The viewer's name of the status: "E_ST_NO_HIER" and so on.
std::string_view ViewerStatusName(ViewerStatus status);

// A phrase that explains it, such as "the first line lacks HIERARCHY".
std::string_view ViewerStatusMeaning(ViewerStatus status);

}  // namespace bvhmill
