#pragma once

// Rules about a clip that was read. They find clips that are well-formed but
// probably not as intended.

#include <span>

#include "bvhmill/base/text_position.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/row_samples.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// Applies every rule of the table in validate.cc and logs its findings. `facts`
// must belong to `skeleton`. `node_positions` has the text position of each
// node, and is empty if the source is no text. `source` has the unit and axis
// that the caller knows; these get no hint. `conventions` say how positions are
// read: nothing is said about another way to read them. Examines the rows of
// `samples` only. Cost: O(size of `facts`), times the depth of the skeleton for
// joints with positions.
void Validate(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples,
              std::span<const TextPosition> node_positions,
              const SourceSpace& source, const Conventions& conventions,
              IssueLog* log);

// True if Validate may log DATA_JOINT_POSITIONS_GLOBAL: position channels of
// joints hold places in the world. Cost: that of Validate.
bool HasGlobalPositions(const Skeleton& skeleton, const SkeletonFacts& facts,
                        const RowSamples& samples);

// True if Validate logs DATA_UP_AXIS_GUESS for a figure whose head and axis are
// not known: it stands along Z in its rest pose, and its root is at the height
// of hips. O(1).
bool SeemsZUp(const Skeleton& skeleton, const SkeletonFacts& facts,
              const RowSamples& samples);

}  // namespace bvhmill
