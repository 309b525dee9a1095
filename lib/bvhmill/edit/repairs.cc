#include "bvhmill/base/call_error.h"
#include "bvhmill/edit/clip_edits.h"

namespace bvhmill {

bool IsEmpty(const Repairs& repairs) {
  return !repairs.drop_repeated_frames && !repairs.snap_frame_time &&
         repairs.fill_gap_frames == 0 && !repairs.replace_spikes &&
         !repairs.unwrap_angles;
}

absl::Status CheckRepairs(const Repairs& repairs) {
  if (repairs.fill_gap_frames >= 0) return absl::OkStatus();
  return InvalidField("options.edits.repairs.fill_gap_frames",
                      "must not be negative");
}

}  // namespace bvhmill
