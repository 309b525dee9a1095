#pragma once

// Clips for tests of repairs, and what a repair says.

#include <limits>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill::testing {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
// Columns of SmallLeg: X Y Z and three angles of the hips, the knee, the foot.
inline constexpr size_t kHipX = 0;
inline constexpr size_t kKnee = 6;
inline constexpr size_t kFoot = 9;

// A leg that swings slowly: no step is larger than a degree.
Clip SwingingLeg(int64_t frames);

// Each pose of `poses` `stride` times, but the first `first` times and the last
// `last` times.
Clip Repeating(const Clip& poses, int64_t stride, int64_t first, int64_t last);

float& At(Clip* clip, int64_t frame, size_t column);

// Repairs the clip. "CODE@joint:frame" of each change; clip-wide changes have
// no place.
std::vector<std::string> Repaired(const Repairs& repairs, Clip* clip,
                                  const Thresholds& thresholds = {});

}  // namespace bvhmill::testing
