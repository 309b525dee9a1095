#pragma once

// The skeleton of a source, shared by all clips that were read with it.

#include <memory>
#include <vector>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

// A skeleton and where each of its nodes begins in the text; no positions if
// the source is no text. It does not change once a reader has given it out.
struct SourceSkeleton {
  Skeleton skeleton;
  std::vector<TextPosition> node_positions;
};

// The pointer is the identity: clips that have the same pointer have the same
// skeleton, so that what is derived from it need not be derived again. A holder
// keeps the pointer, so that no other skeleton can take its place.
using SharedSkeleton = std::shared_ptr<const SourceSkeleton>;

}  // namespace bvhmill
