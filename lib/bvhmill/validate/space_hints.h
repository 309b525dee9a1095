#pragma once

// Hints about the unit and the up axis of a clip. Private to validate/.

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/rule_input.h"

namespace bvhmill {

// Logs a hint only if the measure has one likely meaning and the caller has not
// stated the unit or axis. Each hint states what was measured. A wrong hint is
// worse than a missing one.
void HintAtSpace(const RuleInput& input, IssueLog* log);

}  // namespace bvhmill
