#pragma once

// What the stages of a conversion cost, and why it failed if that was too much.
// Private to pipeline/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Grants what `receiver` grants; everything if that is null.
Budget::Holder HolderOf(OutputReceiver* receiver);

// Draws the memory and the work of what is derived from a skeleton: its plan,
// its facts, and the description of its joints, which callers get twice.
// O(nodes).
absl::Status DrawSkeleton(const Skeleton& skeleton, Budget* budget);

// The same for the description of an edited clip alone.
absl::Status DrawDescription(const Skeleton& skeleton, Budget* budget);

// Names the limit of `budget` that ended the conversion, if one did and the
// result says nothing yet.
void NameLimit(const Budget& budget, ConvertResult* result);

}  // namespace bvhmill
