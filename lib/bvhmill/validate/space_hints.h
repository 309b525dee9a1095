#pragma once

// Hints at the unit of a clip and at its up axis. Private to validate/.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/rule_input.h"

namespace bvhmill {

// Each hint says what it measured, and speaks only if that can mean one thing
// and the caller does not know. Wrong hints cost more than missing ones.
void HintAtSpace(const RuleInput& input, IssueLog* log);

}  // namespace bvhmill
