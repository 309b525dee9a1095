#pragma once

// Dropping and renaming joints.

#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Selects the nodes to drop: the joints that drop name; if there are
// keep, all joints that these do not name; and the trees of all roots
// but `figure`. Sets `*dropped` to one entry
// for each node. Entries of end sites are false: an end site is dropped with
// its joint. INVALID_ARGUMENT for a name that matches no joint, and for a
// figure that the clip does not have. O((joints + names) log joints).
absl::Status SelectDropped(const ClipEdits& edits, const Skeleton& skeleton,
                           std::vector<bool>* dropped);

// Removes the nodes that SelectDropped selects, and their columns.
//
// A child of a dropped joint becomes a child of the next kept joint above it.
// With DropMode::kKeepPoses it keeps its pose in the world: the rotations of
// the dropped joints in between go to it, and if its place below its new parent
// changes in the clip, it gets position channels. If that place is constant, it
// is its OFFSET. With kRigid, its OFFSET is the sum of the OFFSETs in between,
// and the motion of the dropped joints is lost; so it is with kKeepPoses if
// `conventions` ignore position channels. Where no dropped joint in between
// turns or moves, the two are the same, and no value is computed anew but
// positions, which are shifted as `conventions` read them.
//
// A joint that loses all its children gets an End Site at the place of the
// first one. If a root is dropped, the joint that is left below it becomes the
// root of that tree. INVALID_ARGUMENT if more than one joint is left below it,
// or if no joint is left at all.
//
// Logs EDIT_POSITIONS_ADDED for the joints that get position channels, and
// EDIT_DROP_MOVED if a kept joint moves. O(frames x nodes).
absl::Status DropJoints(const ClipEdits& edits, Editing* editing);

// Applies rename, all at once, then strip_prefix, the joint map, and
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
