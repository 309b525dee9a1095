// Gaps that were filled by lines, and poses that the root carries.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {

std::vector<FaultCase> LineEdges() {
  return {
      {"GapFilledByLines",
       {},
       [](Clip* c) { FillGap(200, 300, c); },
       {"hint DATA_INTERPOLATED frame 201 to 299"},
       {{"which", "201 to 299"},
        {"frames", "99"},
        {"seconds", "0.825"},
        {"reading", "no joint changes its speed for 0.825 s"}}},
      {"GapOfAFifthOfASecond",
       {},
       [](Clip* c) { FillGap(200, 225, c); },
       {"hint DATA_INTERPOLATED frame 201 to 224"}},
      {"ShorterGap", {}, [](Clip* c) { FillGap(200, 224, c); }, {}},
      {"GapOfFiveFramesAtASlowRate",
       {.frames = 200, .frames_per_second = 12},
       [](Clip* c) { FillGap(100, 106, c); },
       {}},
      {"GapOfSixFramesAtASlowRate",
       {.frames = 200, .frames_per_second = 12},
       [](Clip* c) { FillGap(100, 107, c); },
       {"hint DATA_INTERPOLATED frame 101 to 106"}},
      {"TwoGapsOfWhichTheFirstIsLonger",
       {},
       [](Clip* c) {
         FillGap(200, 300, c);
         FillGap(400, 450, c);
       },
       {"hint DATA_INTERPOLATED frame 201 to 299 x2"}},
      // Rows are judged in blocks of 256.
      {"GapAcrossABlock",
       {},
       [](Clip* c) { FillGap(230, 290, c); },
       {"hint DATA_INTERPOLATED frame 231 to 289"}},
      {"GapAtTheEnd",
       {},
       [](Clip* c) { FillGap(500, 599, c); },
       {"hint DATA_INTERPOLATED frame 501 to 598"}},
  };
}

std::vector<FaultCase> CarriedEdges() {
  return {
      {"PoseThatTheRootCarries",
       {},
       [](Clip* c) { CarryPose(200, 300, c); },
       {"warning DATA_FROZEN_FRAMES frame 200 to 300"},
       {{"apart", " apart from the root"},
        {"where", "middle"},
        {"frames", "101"}}},
      {"PoseThatIsCarriedForHalfASecond",
       {},
       [](Clip* c) { CarryPose(200, 259, c); },
       {"warning DATA_FROZEN_FRAMES frame 200 to 259"}},
      {"PoseThatIsCarriedForLess",
       {},
       [](Clip* c) { CarryPose(200, 258, c); },
       {}},
      {"PoseThatIsCarriedAtTheEnd",
       {},
       [](Clip* c) { CarryPose(500, 599, c); },
       {"hint DATA_FROZEN_FRAMES frame 500 to 599"}},
      {"PoseThatIsCarriedForAQuarterAtTheEnd",
       {},
       [](Clip* c) { CarryPose(450, 599, c); },
       {"warning DATA_FROZEN_FRAMES frame 450 to 599"}},
      {"EightFramesBeforeAPoseThatIsCarried",
       {},
       [](Clip* c) { CarryPose(7, 599, c); },
       {"warning DATA_FROZEN_FRAMES frame 7 to 599", "hint DATA_INTERPOLATED"}},
      {"SevenFramesBeforeAPoseThatIsCarried",
       {},
       [](Clip* c) { CarryPose(6, 599, c); },
       {"hint DATA_INTERPOLATED"}},
      {"OnlyTheRootMoves", {}, [](Clip* c) { CarryPose(0, 599, c); }, {}},
      {"TwoPosesThatAreCarried",
       {},
       [](Clip* c) {
         CarryPose(100, 180, c);
         CarryPose(300, 400, c);
       },
       {"warning DATA_FROZEN_FRAMES frame 300 to 400 x2"}},
  };
}

}  // namespace bvhmill::testing
