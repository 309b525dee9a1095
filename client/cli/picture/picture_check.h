#pragma once

// Checks a clip and makes its picture in the same pass.

#include <optional>
#include <string_view>

#include "client/cli/engine.h"
#include "client/cli/picture/clip_picture.h"

namespace bvhmill::client {

// Returns the result of engine->Validate. Sets `picture` if the clip could be
// converted. Its poses are those after the edits of `options`, in the unit of
// the outputs; its height is in meters if HasMeters.
//
// The clip is converted with two more outputs. If that fails for a reason that
// these outputs may cause, such as a limit, the clip is checked once more
// without them: a picture never changes a report. A server sends 28 bytes for
// each joint and frame.
ConvertResult ValidateWithPicture(Engine* engine, std::string_view name,
                                  const ClipData& clip,
                                  const ConvertOptions& options,
                                  const CancelToken* cancel,
                                  std::optional<ClipPicture>* picture);

// True if the edits state the unit, so that ClipPicture::height is in meters.
bool HasMeters(const ClipEdits& edits);

}  // namespace bvhmill::client
