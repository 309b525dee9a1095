#include "client/cli/picture/picture_check.h"

#include "client/cli/picture/picture_receiver.h"

namespace bvhmill::client {
namespace {

// The unit of outputs; 0 if it is not known.
double MetersPerUnit(const ClipEdits& edits) {
  return edits.to_units > 0 ? edits.to_units : edits.source.meters_per_unit;
}

// True if the clip may be fine without the outputs of a picture.
bool MayBePictures(const absl::Status& status) {
  return absl::IsResourceExhausted(status) ||
         absl::IsFailedPrecondition(status);
}

}  // namespace

ConvertResult ValidateWithPicture(Engine* engine, std::string_view name,
                                  const ClipData& clip,
                                  const ConvertOptions& options,
                                  const CancelToken* cancel,
                                  std::optional<ClipPicture>* picture) {
  ConvertOptions with_picture = options;
  AddPictureOutputs(&with_picture.outputs);
  PictureReceiver receiver;
  ConvertResult result =
      engine->Convert(name, clip, with_picture, &receiver, cancel);
  if (MayBePictures(result.status)) {
    return engine->Validate(name, clip, options, cancel);
  }
  if (!result.status.ok()) return result;
  *picture = receiver.Finish(result.report, UpOf(options.edits, result.report));
  if (*picture && HasMeters(options.edits)) {
    (*picture)->height *= static_cast<float>(MetersPerUnit(options.edits));
  }
  return result;
}

bool HasMeters(const ClipEdits& edits) { return MetersPerUnit(edits) > 0; }

}  // namespace bvhmill::client
