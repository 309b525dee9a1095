#include "server/convert/clip_options.h"

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/options.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {

absl::Status ReadClipOptions(const Limits& limits,
                             const v1::ConvertOptions& message,
                             ConvertOptions* options) {
  options->limits = limits;
  const absl::Status status = wire::FromProto(message, options);
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_outputs_per_clip", limits.max_outputs_per_clip,
                         message.outputs_size());
  }
  return status;
}

}  // namespace bvhmill::server
