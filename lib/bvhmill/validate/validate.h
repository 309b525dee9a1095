#pragma once

// Rules about a clip that was read: what is well-formed but likely not meant.

#include <span>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/conventions.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/row_samples.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// Applies every rule of the table in validate.cc and logs what it finds.
// `facts` are those of the skeleton, `node_positions` says where each node of
// the skeleton begins, `source` what the caller knows, about which no hint is
// given. Cost: that of the facts that are there; looks at a few rows only.
void Validate(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples,
              std::span<const TextPosition> node_positions,
              const SourceSpace& source, IssueLog* log);

}  // namespace bvhmill
