#pragma once

// Reads a whole BVH file from memory and passes its frames on while they are in
// the CPU cache, without a matrix of all frames.

#include <string_view>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Maximum number of values in a tile of regular rows. A single frame may have
// more.
inline constexpr int64_t kMaxTileValues = 2 * int64_t{kMaxRowsBlockBytes};

// True if the text has so few tiles that one thread reads it.
bool IsShortText(std::string_view text);

// Memory of the reader, reused from clip to clip. One clip at a time.
struct TileWorkspace {
  // The values of the current tile of each worker.
  std::vector<UninitializedVector<float>> tiles;
};

// Reads `text`; the issues and the frames are the same as those of ReadBvh. If
// `options.parallel` is set, its threads read tiles of regular rows in
// parallel, as workers of `receiver`. All other frames are passed to OnFrames.
// `clip` gets everything except the values.
StreamResult ReadBvhTiles(std::string_view text, const ReadOptions& options,
                          IssueLog* log, TileReceiver* receiver,
                          TileWorkspace* workspace, ParsedClip* clip);

}  // namespace bvhmill
