#pragma once

// Dropping and renaming joints.

#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"

namespace bvhmill {

// Which nodes the edits drop: all that drop_joints name, and if there are
// keep_joints all that those do not name. End sites are false; they go with
// their joint. INVALID_ARGUMENT for a name that matches nothing.
// O((joints + names) log joints).
absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped);

// Takes those nodes and their columns out; `dropped` is as long as the nodes.
//
// What hangs below a dropped joint then hangs on the next kept joint above it,
// moved by the OFFSETs of what was dropped between them. A joint that loses all
// its children gets an End Site where the first of them was. What is left below
// a dropped root becomes the root of that tree. INVALID_ARGUMENT if that is
// more than one joint, or if no joint is left at all.
//
// Position channels are moved so that joints stay where they were, by the
// given conventions. O(nodes + columns).
absl::Status DropJoints(const std::vector<bool>& dropped,
                        const Conventions& conventions, EditedSkeleton* edited);

// Applies rename_joints, all at once, then the joint map. INVALID_ARGUMENT for
// an old name that matches nothing, a map of which no row does, and a name
// longer than the limits allow. The memory of the new names is drawn from
// `budget`, which may be null.
absl::Status RenameJoints(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton);

}  // namespace bvhmill
