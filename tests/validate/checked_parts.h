#pragma once

// What a CheckedClip refers to, for tests of single rules.

#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/validate/checked_clip.h"

namespace bvhmill::testing {

// `clip` outlives the parts. Facts of the motion are those that no rule writes;
// tests change them as they need.
struct CheckedParts {
  explicit CheckedParts(const Clip& of,
                        std::span<const ThresholdChoice> changed = {})
      : clip(of), places(of.skeleton.nodes.size()), thresholds(changed) {
    FindFacts(of.skeleton, &facts);
    motion.reach =
        ReachOf(of.skeleton, conventions, of.motion.frames, of.motion.values);
    motion.dt = MotionFrameTime(of.motion.frame_time);
    motion.frames = of.motion.frames;
  }

  CheckedClip checked() {
    return {clip.skeleton,
            facts,
            places,
            source,
            clip.motion.frame_time,
            thresholds,
            motion,
            conventions,
            clip.motion.frames,
            clip.motion.values,
            landmarks};
  }

  const Clip& clip;
  SkeletonFacts facts;
  std::vector<TextPosition> places;
  SourceSpace source;
  Conventions conventions;
  Thresholds thresholds;
  MotionFacts motion;
  std::vector<float> landmarks;
};

}  // namespace bvhmill::testing
