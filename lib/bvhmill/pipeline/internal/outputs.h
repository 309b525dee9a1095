#pragma once

// Makes the outputs of a clip. Private to pipeline/.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Writes the outputs of `options` to `receiver`, one after the other. `context`
// has all but the log. Fills result->outputs and adds the issues of all outputs
// to result->report; result->info must be set.
//
// An output whose format cannot hold the clip gets a status and no bytes; the
// others are made. Fails with the first of these statuses if no output could be
// made, and with the status of the receiver or of the budget, if they refuse;
// RESOURCE_EXHAUSTED if the outputs have too many bytes.
//
// With options.checks_only all is done, but `receiver`, which may be null,
// gets nothing. Outputs that cannot be made are then no failure if the report
// says so.
absl::Status MakeOutputs(const ConvertOptions& options,
                         const EncodeContext& context, OutputReceiver* receiver,
                         ConvertResult* result);

}  // namespace bvhmill
