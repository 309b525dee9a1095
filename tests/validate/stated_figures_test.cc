// Frames, phases and angles that issues of motion rules state.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {
namespace {

// Frames first, first + stride and so on are captured. Those between them are
// straight lines, and one pose stands before them.
Clip InterpolatedClip(int64_t first, int64_t stride) {
  Clip captured = MovingClip({});
  Clip clip = captured;
  const auto at = [&](int64_t frame, int32_t node, int32_t channel) {
    return ValueAt(&captured, std::min<int64_t>(frame, 599), node, channel);
  };
  for (int64_t t = 0; t < 600; ++t) {
    const int64_t from =
        t < first ? first : first + (t - first) / stride * stride;
    const int64_t over = t < first ? 0 : t - from;
    const auto share = static_cast<float>(over) / static_cast<float>(stride);
    for (int32_t node = 1; node <= 10; ++node) {
      for (int32_t c = 0; c < 3; ++c) {
        const float begin = at(from, node, c);
        ValueAt(&clip, t, node, c) =
            begin + share * (at(from + stride, node, c) - begin);
      }
    }
  }
  return clip;
}

// The advice to take the frames PHASE::STRIDE keeps the captured ones.
TEST(Interpolated, StatesThePhaseOfTheFramesThatWereCaptured) {
  for (const int64_t stride : {3, 4, 5}) {
    for (int64_t first = 0; first < stride; ++first) {
      const Report report = MotionReport(InterpolatedClip(first, stride), 0,
                                         OnlyCode("DATA_INTERPOLATED"));
      EXPECT_EQ(ArgOf(report, "DATA_INTERPOLATED", "stride"),
                std::to_string(stride));
      EXPECT_EQ(ArgOf(report, "DATA_INTERPOLATED", "phase"),
                std::to_string(first))
          << "every " << stride;
    }
  }
}

// A chord of half a turn is 162.1 degrees.
TEST(Spike, OfOneFrameStatesTheAngleAndNotAChord) {
  for (const int degrees : {20, 90, 120, 180}) {
    Clip clip = MovingClip({});
    for (int64_t t = 0; t < 600; ++t) {
      for (const int c : {0, 1, 2}) ValueAt(&clip, t, 3, c) = 0;
    }
    AddTo(3, 1, static_cast<float>(degrees), 350, 350, &clip);
    EXPECT_EQ(ArgOf(MotionReport(clip, 0, OnlyCode("DATA_SPIKE")), "DATA_SPIKE",
                    "degrees"),
              std::to_string(degrees));
  }
}

}  // namespace
}  // namespace bvhmill::testing
