#pragma once

// Makes the outputs of a clip: the last stage of a conversion.

#include "absl/status/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {

// Writes the outputs of `options` to `receiver`, one after the other. Fills
// result->outputs, and adds the issues of all outputs to result->report.
// `context` needs no log. Requires that result->info is set.
//
// An output whose format cannot hold the clip has a status and no bytes; the
// others are made. Fails with the first of these statuses if no output could be
// made; with the status of the receiver or the budget if one refuses; and with
// RESOURCE_EXHAUSTED if the outputs exceed max_output_bytes.
//
// With options.checks_only, makes the outputs but does not call `receiver`,
// which may be null. If the report then has an error, outputs that cannot be
// made are no failure.
absl::Status MakeOutputs(const ConvertOptions& options,
                         const EncodeContext& context, OutputReceiver* receiver,
                         ConvertResult* result);

}  // namespace bvhmill
