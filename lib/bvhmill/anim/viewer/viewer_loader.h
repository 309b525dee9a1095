#pragma once

// Loads a BVH clip as the import of Second Life's viewer does: joints with
// three rotations and perhaps a position, in the viewer's own order of columns,
// or the viewer's reason to refuse the clip. docs/formats/anim.md, section 6,
// has the rules.
//
//   const ViewerText loaded = LoadViewerText(text);
//   if (loaded.status != ViewerStatus::kOk) {
//     return ViewerStatusMeaning(loaded.status);
//   }
//   Import(loaded.take);

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct ViewerJoint {
  // The first word of the name in the file, cut to 79 bytes, the size of the
  // viewer's buffer.
  std::string name;
  // As the file states it; 6: three positions precede the rotations.
  int64_t channel_count = 3;
  // The axes (0, 1, 2) of the rotation, outermost first, and the column of the
  // angle about each; -1 for an angle of 0.
  std::array<int32_t, 3> axes = {};
  std::array<int32_t, 3> angle_columns = {-1, -1, -1};
  // The column of X; those of Y and Z follow. -1 if there are no positions.
  int32_t position_column = -1;
  // The number of joints on the longest path down from this joint; 0 for a
  // leaf.
  int32_t depth = 0;
};

struct ViewerTake {
  // In the order of the file, without end sites.
  std::vector<ViewerJoint> joints;
  int64_t frames = 0;
  // In seconds, as the file states it: any value.
  float frame_time = 0;
  // The number of values in a frame.
  int64_t columns = 0;
  // Shape (frames, columns).
  std::span<const float> values;
};

// The results of the viewer's import, with its numbers.
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

// The viewer's name of the status: "E_ST_NO_HIER".
std::string_view ViewerStatusName(ViewerStatus status);

// A phrase that explains the status: "the first line lacks HIERARCHY".
std::string_view ViewerStatusMeaning(ViewerStatus status);

struct ViewerText {
  ViewerStatus status = ViewerStatus::kOk;
  // The line of the fault.
  TextPosition place;
  // Complete if the status is kOk. Its values point to `values`.
  ViewerTake take;
  UninitializedVector<float> values;
};

// Reads BVH text as the viewer's import does: line by line, lenient in some
// places and strict in others. This reader may refuse text that ReadBvh
// repairs, and the reverse.
//
// Memory grows with the contents of `text`, never by a number that it states.
// Throws nothing but std::bad_alloc. Cost: O(bytes), about 80 ns for each
// number.
ViewerText LoadViewerText(std::string_view text);

// Sets `take` to the viewer's view of a clip with `skeleton` and `frames`
// frames, without values and frame time. If the viewer refuses the clip,
// returns the reason and sets `*node` to the node that is at fault; `*take` is
// then incomplete. Else `*node` is undefined. Cost: O(nodes).
ViewerStatus TakeFromSkeleton(const Skeleton& skeleton, int64_t frames,
                              ViewerTake* take, int32_t* node);

// Sets `take` to the viewer's view of `clip`. Does not copy the values: `clip`
// must outlive `take`. Refusals and cost are those of TakeFromSkeleton. A clip
// does not show if ReadBvh repaired text that the viewer refuses:
// LoadViewerText checks the text.
ViewerStatus TakeFromClip(const Clip& clip, ViewerTake* take, int32_t* node);

// Parses the whole of `word` as a float, correctly rounded: a decimal number,
// or nan, inf, infinity in upper or lower case. False for other words, and for
// numbers out of range.
bool ParseViewerFloat(std::string_view word, float* value);

}  // namespace bvhmill
