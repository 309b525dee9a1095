#pragma once

// The costs of stages of a conversion, drawn from its budget. Private to
// pipeline/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// A holder that asks `receiver`; null: a holder that grants everything.
Budget::Holder HolderOf(OutputReceiver* receiver);

// Draws the memory and the work of a skeleton and of the data derived from it:
// its plan, its facts, and the description of its joints, which callers get
// twice. O(nodes).
absl::Status DrawSkeleton(const Skeleton& skeleton, Budget* budget);

// Draws the memory and the work of the description alone. O(nodes).
absl::Status DrawDescription(const Skeleton& skeleton, Budget* budget);

}  // namespace bvhmill
