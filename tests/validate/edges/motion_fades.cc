// Poses that fade into the motion over the first frames.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// The first `frames` rows lead in equal steps from `degrees` to the pose of
// row `frames`, where `joints` joints stand still.
void Fade(int64_t frames, float degrees, int joints, Clip* clip) {
  for (int32_t node = 1; node <= joints; ++node) {
    for (int64_t t = 0; t < clip->motion.frames; ++t) {
      for (const int k : {0, 1, 2}) ValueAt(clip, t, node, k) = 0;
    }
    for (int64_t t = 0; t < frames; ++t) {
      const auto left = static_cast<float>(frames - t);
      AddTo(node, 1, degrees * left / static_cast<float>(frames), t, t, clip);
    }
  }
}

}  // namespace

std::vector<FaultCase> FadeEdges() {
  return {
      {"PoseThatFadesOverTwoFrames",
       {},
       [](Clip* c) { Fade(2, 10, 4, c); },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 1"},
       {{"which", "frames 0 to 1 are"}, {"frames", "2"}, {"joints", "4"}}},
      {"PoseThatFadesOverFourFrames",
       {},
       [](Clip* c) { Fade(4, 12, 4, c); },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 3"},
       {{"degrees", "12"}, {"amount", "12 degrees"}, {"frames", "4"}}},
      {"PoseThatFadesOverFiveFrames",
       {},
       [](Clip* c) { Fade(5, 12, 4, c); },
       {}},
      {"FadeOfThreeJoints", {}, [](Clip* c) { Fade(3, 9, 3, c); }, {}},
      {"FadeOfADegreeAFrame", {}, [](Clip* c) { Fade(3, 3, 6, c); }, {}},
      {"FadeOfMoreThanADegreeAFrame",
       {},
       [](Clip* c) { Fade(3, 3.1F, 6, c); },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 2"}},
      {"FadeInAShortClip",
       {.frames = 9},
       [](Clip* c) { Fade(4, 12, 8, c); },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 3"}},
      {"FadeInATooShortClip",
       {.frames = 8},
       [](Clip* c) { Fade(4, 12, 8, c); },
       {}},
  };
}

}  // namespace bvhmill::testing
