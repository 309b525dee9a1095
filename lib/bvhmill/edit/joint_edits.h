#pragma once

// Dropping and renaming joints.

#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Selects the nodes to drop: the joints that drop_joints name; if there are
// keep_joints, all joints that these do not name; and the trees of all roots
// but `figure`. Sets `*dropped` to one entry
// for each node. Entries of end sites are false: an end site is dropped with
// its joint. INVALID_ARGUMENT for a name that matches no joint, and for a
// figure that the clip does not have. O((joints + names) log joints).
absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped);

// Removes the nodes that `dropped` selects, and their columns. `dropped` must
// have one entry for each node.
//
// A child of a dropped joint becomes a child of the next kept joint above it;
// the OFFSETs of the dropped joints in between are added to its own. A joint
// that loses all its children gets an End Site at the place of the first one.
// If a root is dropped, the joint that is left below it becomes the root of
// that tree. INVALID_ARGUMENT if more than one joint is left below it, or if no
// joint is left at all.
//
// Position channels are shifted so that joints stay where they were, as
// `conventions` read them. Those of a dropped joint are lost like its
// rotations: its OFFSET stands for them. O(nodes + columns).
absl::Status DropJoints(const std::vector<bool>& dropped,
                        const Conventions& conventions, EditedSkeleton* edited);

// Applies rename_joints, all at once, then strip_prefix, the joint map, and
// names_to. Logs
// EDIT_JOINTS_RENAMED and EDIT_NAME_SHARED; `log` may be null. INVALID_ARGUMENT
// for an old name that matches no joint, a map without a row that matches a
// joint, a clip whose naming scheme is not known, and a new name that is longer
// than limits.max_name_bytes. The memory of the new names is drawn from
// `budget`, which may be null; its errors are returned.
absl::Status RenameJoints(const ClipEdits& edits, const Limits& limits,
                          Budget* budget, Skeleton* skeleton,
                          IssueLog* log = nullptr);

}  // namespace bvhmill
