#pragma once

// What is made of a skeleton alone: once for all takes of one rig. Private to
// pipeline/.

#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/clip_info.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

struct Rig {
  // 0: good for one clip only.
  RigId id = 0;
  SkeletonFacts facts;
  // Of no frames.
  ClipInfo info;
};

// Makes `rig` that of `skeleton`, which is known as `id`. Cost: none if it is
// so already.
void MakeRig(const Skeleton& skeleton, RigId id, Rig* rig);

// What callers are told of a clip of that rig.
void DescribeClip(const Rig& rig, int64_t frames, double frame_time,
                  ClipInfo* info);

}  // namespace bvhmill
