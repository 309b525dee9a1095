#include "bvhmill/anim/anim_to_clip.h"

#include <string>

#include "bvhmill/anim/anim_clip_maker.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"

namespace bvhmill {

absl::Status AnimToClip(const AnimMotion& motion,
                        const AnimToClipOptions& options, Clip* clip,
                        IssueLog* log) {
  constexpr double kMaxRate = 240;
  const double rate = options.frames_per_second;
  if (!(rate >= 0 && rate <= kMaxRate)) {
    return InvalidField("frames_per_second", "is not 0 to 240");
  }
  *clip = {};
  if (!(motion.duration <= kMaxAnimSeconds)) {
    log->Add(IssueCode::ANIM_DURATION_LONG, {},
             {{"seconds", std::to_string(motion.duration)}});
    return absl::OkStatus();
  }
  AnimClipMaker maker(motion, options);
  BVHMILL_RETURN_IF_ERROR(maker.MakeHeader(/*budget=*/nullptr, log, clip));
  return maker.MakeRows(/*budget=*/nullptr, clip);
}

}  // namespace bvhmill
