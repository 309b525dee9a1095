#pragma once

// A clip that arrives in pieces, as ReadBvh returns it.

#include <string_view>
#include <utility>

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"

namespace bvhmill::testing {

// Reads `text` in pieces of `size(index)` bytes, the rest being the last.
template <typename Size>
ReadResult ReadInPieces(std::string_view text, const ReadOptions& options,
                        const Size& size, IssueLog* log) {
  ParsedClip parsed;
  BvhReader reader(options, log, &parsed);
  for (int64_t i = 0; !text.empty(); ++i) {
    const std::string_view piece = text.substr(0, size(i));
    reader.Add(piece);
    text.remove_prefix(piece.size());
  }
  reader.Finish();
  ReadResult read;
  read.skeleton_read = parsed.skeleton_read;
  read.motion_read = parsed.motion_read;
  if (parsed.source != nullptr) {
    read.node_positions = parsed.source->node_positions;
  }
  read.clip = ClipOf(std::move(parsed));
  return read;
}

}  // namespace bvhmill::testing
