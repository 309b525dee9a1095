#pragma once

// The issues that a conversion of a clip to .anim logs: its choices, the nodes
// that drive nothing, changed values and exceeded bounds. Private to anim/.
//
// Each function adds issues to `log`, for one thread at a time. `skeleton` is
// that of the clip; `node` is an index into its nodes.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar_drive.h"
#include "bvhmill/anim/avatar/reference_choice.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/fit/joint_fit.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// An angle in whole degrees, as text.
std::string WholeDegrees(double degrees);

// The first ten names of `nodes`, quoted.
std::string QuotedNames(const Skeleton& skeleton,
                        std::span<const int32_t> nodes);

// The reference pose as messages name it.
std::string PoseName(const ReferenceChoice& choice);

// Adds ANIM_REFERENCE_CHOSEN: the reference pose that the options left open.
void LogReferenceChosen(const ReferenceChoice& choice, IssueLog* log);

// Adds ANIM_SCALE_GUESSED.
void LogScaleGuessed(double metres_per_unit, IssueLog* log);

// Adds ANIM_JOINT_LEFT_OUT for each of `nodes`.
void LogLeftOut(const Skeleton& skeleton, const std::vector<int32_t>& nodes,
                IssueLog* log);

// Adds ANIM_REFERENCE_ODD if a limb points far from that of the avatar in the
// reference pose, and no limb was matched.
void LogOddLimb(const Skeleton& skeleton, const AvatarDrive& drive,
                IssueLog* log);

// Adds ANIM_FIRST_FRAME_LEFT_OUT if the first frame is apart.
void LogFirstFrameApart(const AvatarDrive& drive, IssueLog* log);

// Adds ANIM_TRANSLATION_LEFT_OUT.
void LogTranslationLeftOut(const Skeleton& skeleton, int32_t node,
                           float millimetres, IssueLog* log);

// Adds an issue of `code` that stands for `count` values of a node; none if
// `count` is 0.
void LogValues(const Skeleton& skeleton, IssueCode code, int32_t node,
               int64_t count, IssueLog* log);

// Adds ANIM_POSITION_FAR; `metres` is the largest distance along an axis.
void LogPositionFar(const Skeleton& skeleton, int32_t node, float metres,
                    IssueLog* log);

// Adds ANIM_BOUNDS_RAISED with the bounds and the size of `result`.
void LogBoundsRaised(const ClipToAnimResult& result, IssueLog* log);

// Adds ANIM_BOUND_MISSED for the first curve of each node. `first_frame` is the
// first played frame of the clip.
void LogMissed(const Skeleton& skeleton, const std::vector<Missed>& missed,
               int64_t first_frame, IssueLog* log);

// The variable parts of ANIM_SIZE_LIMIT. `max_degrees` is the largest bound
// that was allowed.
IssueArgs SizeLimitArgs(int64_t max_bytes, float max_degrees);

}  // namespace bvhmill
