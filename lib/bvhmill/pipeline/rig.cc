#include "bvhmill/pipeline/rig.h"

namespace bvhmill {

void MakeRig(const Skeleton& skeleton, RigId id, Rig* rig) {
  if (id != 0 && id == rig->id) return;
  // Not of that one, nor of the other, if there is no memory for it.
  rig->id = 0;
  FindFacts(skeleton, &rig->facts);
  rig->info = DescribeClip(skeleton, 0, 0);
  rig->id = id;
}

void DescribeClip(const Rig& rig, int64_t frames, double frame_time,
                  ClipInfo* info) {
  *info = rig.info;
  SetFrames(frames, frame_time, info);
}

}  // namespace bvhmill
