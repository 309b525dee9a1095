#pragma once

// The edits of a conversion, between reading and encoding. Private to
// pipeline/.

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/workspace.h"

namespace bvhmill {

// Why edits failed, for programs. Those that can be, but not with this clip,
// are told from options that cannot.
Fault FaultOfEdit(const absl::Status& status);

// Edits workspace->read.clip as the options say and describes it anew in
// result->info; touches nothing if they ask for no edits. Fails as EditClip
// does, or as `receiver`, which may be null, does when it is asked for memory;
// with the clip and its description as they were and result->fault set.
absl::Status EditStage(const ConvertOptions& options, OutputReceiver* receiver,
                       const CancelToken* cancel, Workspace* workspace,
                       ConvertResult* result);

}  // namespace bvhmill
