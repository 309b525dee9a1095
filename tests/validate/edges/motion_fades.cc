// Poses that fade into the motion over the first frames.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Lets the joints `first` to `last` turn by `speed` a frame. The first `frames`
// rows lead in equal steps from `degrees` to that.
void FadeOf(int32_t first, int32_t last, int64_t frames, float degrees,
            float speed, Clip* clip) {
  for (int32_t node = first; node <= last; ++node) {
    for (int64_t t = 0; t < clip->motion.frames; ++t) {
      for (const int k : {0, 1, 2}) ValueAt(clip, t, node, k) = 0;
      ValueAt(clip, t, node, 1) = -speed * static_cast<float>(t);
    }
    for (int64_t t = 0; t < frames; ++t) {
      const auto left = static_cast<float>(frames - t);
      AddTo(node, 1, degrees * left / static_cast<float>(frames), t, t, clip);
    }
  }
}

void Fade(int64_t frames, float degrees, int joints, Clip* clip) {
  FadeOf(1, joints, frames, degrees, 0, clip);
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
      {"FadeIntoAFastMotion",
       {.frames = 100},
       [](Clip* c) { FadeOf(1, 4, 3, 9, 1.45F, c); },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 2"}},
      {"FadeIntoATooFastMotion",
       {.frames = 100},
       [](Clip* c) { FadeOf(1, 4, 3, 9, 1.55F, c); },
       {}},
      // As many joints fade over two frames as over four.
      {"FadesOfTwoLengths",
       {},
       [](Clip* c) {
         Fade(2, 10, 4, c);
         FadeOf(5, 8, 4, 12, 0, c);
       },
       {"hint DATA_FIRST_FRAME_APART frame 0 to 1"}},
      {"FrameApartBeforeAFade",
       {},
       [](Clip* c) {
         Fade(3, 9, 6, c);
         for (int32_t node = 1; node <= 6; ++node) AddTo(node, 1, 40, 0, 0, c);
       },
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
