#pragma once

// Reads a whole BVH file from memory and hands on its frames while they are in
// the cache.

#include <string_view>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/text/rows.h"

namespace bvhmill {

// Values that a tile of regular rows has at most; one frame may have more.
inline constexpr int64_t kMaxTileValues = 2 * int64_t{kMaxRowsBlockBytes};

// Text of so few tiles that one thread reads it.
bool IsShortText(std::string_view text);

// Memory of the reader, kept from clip to clip. One clip at a time.
struct TileWorkspace {
  // The values of a tile, for each worker.
  std::vector<UninitializedVector<float>> tiles;
};

// The issues and the frames are those of ReadBvh. Threads of
// `options.parallel`, if there are any, read tiles of regular rows at once, as
// workers of `receiver`; what else there is comes by OnFrames. `clip` gets
// all but the values.
StreamResult ReadBvhTiles(std::string_view text, const ReadOptions& options,
                          IssueLog* log, TileReceiver* receiver,
                          TileWorkspace* workspace, ParsedClip* clip);

}  // namespace bvhmill
