#pragma once

// Hints at the unit of a clip and at its up axis. Private to validate/.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/subject.h"

namespace bvhmill {

// Each says what it measured, and only if it can mean one thing; none speaks
// where the caller knows. Wrong hints cost more than missing ones.
void HintAtUnit(const Subject& subject, IssueLog* log);
void HintAtUpAxis(const Subject& subject, IssueLog* log);

}  // namespace bvhmill
