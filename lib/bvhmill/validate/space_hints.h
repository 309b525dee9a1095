#pragma once

// Hints about the unit and the up axis of a clip. Private to validate/.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// Logs at most one hint about the unit and one about the up axis, with the
// measured values. A wrong hint is worse than a missing one, so there is no
// hint
//
//   - if the caller states the unit, or the axis,
//   - if the skeleton is not a body with legs and arms (MeasureBiped),
//   - if the measured values have more than one likely meaning,
//   - about the axis, if the head is known: see CheckFloor.
void HintAtSpace(const CheckedClip& clip, IssueLog* log);

// True if the figure is a body that stands along Z in its rest pose, with the
// root at the height of hips along Z.
bool StandsAlongZ(const CheckedClip& clip);

}  // namespace bvhmill
