#pragma once

// Checks a clip and makes its picture in the same pass.

#include <optional>
#include <string_view>

#include "client/cli/engine.h"
#include "client/cli/picture/clip_picture.h"

namespace bvhmill::client {

// The result of engine->Validate, and in `picture` the picture of the clip, if
// it could be converted. The poses are those after the edits of `options`.
// Lengths are in meters if the options state the unit.
//
// The clip is converted, with two more outputs. If that fails for reasons that
// these outputs may have, such as a limit, the clip is checked once more
// without them: a picture never changes a report. A server sends 28 bytes for
// each joint and frame.
ConvertResult ValidateWithPicture(Engine* engine, std::string_view name,
                                  const ClipData& clip,
                                  const ConvertOptions& options,
                                  const CancelToken* cancel,
                                  std::optional<ClipPicture>* picture);

// True if the lengths of pictures are in meters.
bool HasMeters(const ClipEdits& edits);

}  // namespace bvhmill::client
