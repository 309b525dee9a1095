#pragma once

// Options of reports as messages of the API, and back.

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// Replaces the codes, the thresholds and the cap of `report`; the cap is at
// most that of `limits`. INVALID_ARGUMENT "options.validation.FIELD: why" for a
// value that does not exist.
absl::Status FromProto(const v1::ValidationOptions& message,
                       const Limits& limits, ReportOptions* report);
// Adds to `message`, which is empty.
void ToProto(const ReportOptions& report, v1::ValidationOptions* message);

}  // namespace bvhmill::wire
