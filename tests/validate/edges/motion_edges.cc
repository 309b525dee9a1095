// Clips with a fault that a rule just finds, or just does not find.

#include <algorithm>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Holds row `first` for `count` more frames.
void Hold(int64_t first, int64_t count, Clip* clip) {
  TakeRows(
      [=](int64_t t) { return t <= first ? t : std::max(first, t - count); },
      clip);
}

// Four of ten joints leap by `degrees` at a frame.
void LeapFour(float degrees, int64_t frame, Clip* clip) {
  for (int32_t node = 1; node <= 4; ++node) {
    AddTo(node, 0, degrees, frame, 599, clip);
  }
}

std::vector<FaultCase> FrozenEdges() {
  return {
      {"FrozenAtTenFramesASecond",
       {.frames = 300, .frames_per_second = 10},
       [](Clip* c) { Hold(100, 30, c); },
       {"warning DATA_FROZEN_FRAMES frame 100 to 130"},
       {{"seconds", "3.1"}}},
      {"FrozenForATenthOfASecondOfARoundedRate",
       {.frames_per_second = 60},
       [](Clip* c) {
         c->motion.frame_time = 0.016666;
         Hold(200, 6, c);
       },
       {"warning DATA_FROZEN_FRAMES frame 200 to 206"}},
      {"FrozenTwiceForLongerAtFirst",
       {},
       [](Clip* c) {
         Hold(400, 20, c);
         Hold(200, 30, c);
       },
       {"warning DATA_FROZEN_FRAMES frame 200 to 230 x2"}},
      // Rows are judged in blocks of 256.
      {"FrozenJointUpToTheEndOfABlock",
       {},
       [](Clip* c) {
         Clip before = *c;
         for (int64_t t = 150; t < 600; ++t) {
           const int64_t from = std::max<int64_t>(t - 105, 150);
           for (const int k : {0, 1, 2}) {
             ValueAt(c, t, 6, k) = ValueAt(&before, from, 6, k);
           }
         }
       },
       {"warning DATA_FROZEN_JOINT joint 6 frame 150 to 255"}},
      // It turns slowly for twelve frames, and then stands.
      {"JointThatMovesOnlyFromAFrameThatStandsApart",
       {},
       [](Clip* c) {
         for (int64_t t = 0; t < 600; ++t) {
           for (const int k : {0, 1, 2}) ValueAt(c, t, 6, k) = 7;
           const auto turns = static_cast<float>(std::min<int64_t>(t, 12));
           AddTo(6, 0, 0.001F * turns, t, t, c);
         }
         for (int32_t node = 1; node < 11; ++node) AddTo(node, 0, 70, 0, 0, c);
       },
       {"hint DATA_FIRST_FRAME_APART frame 0"}},
  };
}

// Clips that were written at a higher rate than that of their capture.
std::vector<FaultCase> RateEdges() {
  return {
      {"TwentyFourFramesASecondWrittenAsThirty",
       {.frames_per_second = 30},
       [](Clip* c) { TakeRows([](int64_t t) { return 4 * t / 5; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "0"},
        {"frames", "120"},
        {"poses", "480"},
        {"reading", "120 of 480 poses stand 2 times"}}},
      {"TwentyFourFramesASecondWrittenAsSixty",
       {.frames_per_second = 60},
       [](Clip* c) { TakeRows([](int64_t t) { return 2 * t / 5; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "2"},
        {"frames", "360"},
        {"reading", "every pose stands about 2 times"}}},
      {"ThirtyFramesASecondWrittenAsFifty",
       {.frames_per_second = 50},
       [](Clip* c) { TakeRows([](int64_t t) { return 3 * t / 5; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "2"}, {"reading", "every pose stands about 2 times"}}},
  };
}

// Repeats count from the third frame on, up to the third one from the end.
std::vector<FaultCase> RepeatEdges() {
  return {
      {"DroppedFramesNextToTheEnds",
       {},
       [](Clip* c) {
         for (const int64_t t : {2, 300, 596}) Hold(t, 1, c);
       },
       {"warning DATA_REPEATED_FRAMES frame 3"}},
      // Each pose stands for 0.13 s: a still, if it stood alone.
      {"PosesThatStandLong",
       {.frames_per_second = 60},
       [](Clip* c) { TakeRows([](int64_t t) { return t / 8; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "8"},
        {"frames", "525"},
        {"runs", "75"},
        {"reading", "every pose stands 8 times"}}},
      {"PosesThatStandSevenOrEightTimes",
       {.frames_per_second = 60},
       [](Clip* c) { TakeRows([](int64_t t) { return 2 * t / 15; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "7"}, {"reading", "every pose stands about 7 times"}}},
      {"PosesThatStandAndThenAStill",
       {.frames_per_second = 60},
       [](Clip* c) {
         TakeRows([](int64_t t) { return std::min<int64_t>(t, 400) / 8; }, c);
       },
       {"warning DATA_FROZEN_FRAMES frame 400 to 599",
        "warning DATA_REPEATED_FRAMES frame 1"},
       {{"frames", "200"}}},
      // As long as each other, but the figure moves between them.
      {"StillsApart",
       {},
       [](Clip* c) {
         for (const int64_t t : {101, 203, 304, 410, 507}) Hold(t, 20, c);
       },
       {"warning DATA_FROZEN_FRAMES frame 101 to 121 x5"}},
      {"ARepeatNearTheStart",
       {},
       [](Clip* c) {
         for (const int64_t t : {1, 300, 596}) Hold(t, 1, c);
       },
       {}},
      // After a repeat, the step to the last frame is large.
      {"ARepeatNearTheEnd",
       {},
       [](Clip* c) {
         for (const int64_t t : {2, 300, 597}) Hold(t, 1, c);
       },
       {"hint DATA_LAST_FRAME_APART frame 599"}},
  };
}

std::vector<FaultCase> SpikeEdges() {
  return {
      // The last one is the smallest.
      {"MoreSpikesThanAreKept",
       {},
       [](Clip* c) {
         for (int64_t t = 50; t <= 550; t += 50) AddTo(3, 1, 40, t, t, c);
         AddTo(3, 1, 30, 300, 300, c);
         AddTo(3, 1, -15, 550, 550, c);
       },
       {"warning DATA_SPIKE joint 3 frame 300 x11"},
       {{"first", "50"},
        {"last", "550"},
        {"at", "50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550"}}},
      {"MoreSpikesThanAreListed",
       {},
       [](Clip* c) {
         for (int64_t t = 30; t <= 570; t += 30) AddTo(3, 1, 40, t, t, c);
         AddTo(3, 1, 30, 30, 30, c);
       },
       {"warning DATA_SPIKE joint 3 frame 30 x19"},
       {{"at",
         "30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330, 360, 390, 420, "
         "450, 480"},
        {"last", "570"}}},
      // Each says how far it is off; the frame counts once for each.
      {"SpikeOfBothRotationAndPosition",
       {},
       [](Clip* c) {
         AddTo(0, 0, 5, 300, 300, c);
         AddTo(0, 3, 40, 300, 300, c);
       },
       {"warning DATA_SPIKE joint 0 frame 300",
        "warning DATA_SPIKE joint 0 frame 300"},
       {{"kind", "rotation"}}},
      {"SpikeOfSixFramesOfARoundedRate",
       {.frames_per_second = 60},
       [](Clip* c) {
         c->motion.frame_time = 0.016667;
         AddTo(3, 0, 60, 300, 305, c);
       },
       {"warning DATA_SPIKE joint 3 frame 300 to 305"}},
      // The second jump leads on, to the other side of 0.
      {"JumpsOfThePositionAcrossZero",
       {},
       [](Clip* c) {
         for (int64_t t = 0; t < 600; ++t) {
           const bool is_between = t >= 222 && t < 226;
           ValueAt(c, t, 0, 0) = is_between ? 0.0F : t < 222 ? -50.0F : 50.0F;
           ValueAt(c, t, 0, 1) = ValueAt(c, t, 0, 2) = 0;
         }
       },
       {"warning DATA_JUMP joint 0 frame 222 x2"},
       {{"first", "222"}, {"last", "226"}}},
  };
}

std::vector<FaultCase> FarEdges() {
  return {
      // Squares of such steps are infinite.
      {"PositionBeyondAllSteps",
       {},
       [](Clip* c) { AddTo(0, 1, 1e20F, 350, 350, c); },
       {}},
      // Rows are judged in blocks of 256; these frames stand next to an end.
      {"PositionBeyondAllStepsInTheFrameBeforeTheLastOfABlock",
       {},
       [](Clip* c) { AddTo(0, 0, 1e30F, 254, 254, c); },
       {}},
      {"PositionBeyondAllStepsInTheLastFrameOfABlock",
       {},
       [](Clip* c) { AddTo(0, 0, 1e30F, 255, 255, c); },
       {}},
      {"PositionBeyondAllStepsInTheFirstFrameOfABlock",
       {},
       [](Clip* c) { AddTo(0, 0, 1e30F, 256, 256, c); },
       {}},
  };
}

std::vector<FaultCase> CalmEdges() {
  return {
      // The usual kink is 1.4 degrees.
      {"ManySpikesOfACalmJoint",
       {.frames = 3000, .frames_per_second = 30},
       [](Clip* c) {
         StandStill(3, c);
         for (int64_t t = 50; t < 2050; t += 100) AddTo(3, 0, 20, t, t, c);
         AddTo(3, 0, 15, 550, 550, c);
         AddTo(3, 0, -4, 1950, 1950, c);
       },
       {"warning DATA_SPIKE joint 3 frame 550 x20"},
       {{"first", "50"}, {"last", "1950"}, {"degrees", "35"}}},
      {"ManyJumpsOfACalmJoint",
       {.frames = 3000, .frames_per_second = 30},
       [](Clip* c) {
         StandStill(3, c);
         for (int64_t t = 50; t < 1050; t += 100) AddTo(3, 0, 20, t, t + 49, c);
       },
       {"warning DATA_JUMP joint 3 frame 50 x20"},
       {{"first", "50"}, {"last", "1000"}}},
      // By chance, the way back reads as the rest of a whole turn.
      {"SpikesOfHalfATurn",
       {},
       [](Clip* c) {
         for (int64_t t = 100; t < 500; t += 50) AddTo(3, 1, 180, t, t, c);
       },
       {"warning DATA_SPIKE joint 3 frame 450 x8"}},
      // The joint turns on, but much less than in the spike.
      {"SpikeOfTwoFramesOfAMovingJoint",
       {.frames = 300, .frames_per_second = 30},
       [](Clip* c) { AddTo(3, 1, 60, 150, 151, c); },
       {"warning DATA_SPIKE joint 3 frame 150 to 151"}},
      {"RowThatRepeatsInAFastMotion",
       {.frames = 70, .frames_per_second = 120, .tempo = 8},
       [](Clip* c) { Hold(40, 1, c); },
       {}},
      // Where the joint comes from rest and goes on fast, it is no spike.
      {"SpikeOfAMovingJointInTheSecondFrame",
       {.frames = 300, .frames_per_second = 60},
       [](Clip* c) {
         StandStill(3, c);
         for (int64_t t = 0; t < 300; ++t) AddTo(3, 0, 3.0F * t, t, t, c);
         AddTo(3, 0, 12, 2, 2, c);
       },
       {"warning DATA_SPIKE joint 3 frame 2"}},
      {"SpikeOfAJointThatMovesOn",
       {.frames = 300, .frames_per_second = 30},
       [](Clip* c) {
         for (int64_t t = 0; t < 300; ++t) {
           for (const int k : {0, 1, 2}) ValueAt(c, t, 3, k) *= 0.05F;
           const auto moved = std::clamp<int64_t>(t - 151, 0, 6);
           ValueAt(c, t, 3, 1) += 11 * static_cast<float>(moved);
         }
         AddTo(3, 1, 16, 150, 150, c);
       },
       {}},
  };
}

std::vector<FaultCase> ApartEdges() {
  return {
      // The reach is 10.
      {"FirstFrameApartByItsPositionAlone",
       {},
       [](Clip* c) { AddTo(0, 1, -30, 0, 0, c); },
       {"hint DATA_FIRST_FRAME_APART joint 0 frame 0"},
       {{"joints", "1"}, {"reach", "3"}, {"amount", "3 of the reach"}}},
      {"LastFrameApartByItsPositionAlone",
       {},
       [](Clip* c) { AddTo(0, 1, -30, 599, 599, c); },
       {"hint DATA_LAST_FRAME_APART joint 0 frame 599"},
       {{"reach", "3.002"}}},
      {"FirstFrameApartByARotationAndByItsPosition",
       {},
       [](Clip* c) {
         AddTo(0, 1, -30, 0, 0, c);
         AddTo(4, 0, 70, 0, 0, c);
       },
       {"hint DATA_FIRST_FRAME_APART frame 0"},
       {{"reach", "3"}}},
      // The second frame after it has the kinks of a spike.
      {"FirstFrameApartFromAJointThatLags",
       {.frames = 300, .frames_per_second = 60},
       [](Clip* c) {
         StandStill(3, c);
         AddTo(3, 0, -85, 0, 0, c);
         AddTo(3, 0, -37, 1, 1, c);
         AddTo(3, 0, 5, 3, 3, c);
         AddTo(3, 0, -1, 4, 299, c);
         AddTo(4, 0, 70, 0, 0, c);
       },
       {"hint DATA_FIRST_FRAME_APART joint 4 frame 0"}},
      {"FirstFrameApartByLessThanAJump",
       {},
       [](Clip* c) { AddTo(0, 1, 0.15F, 0, 0, c); },
       {}},
  };
}

std::vector<FaultCase> CutAndTempoEdges() {
  return {
      {"TwoCuts",
       {},
       [](Clip* c) {
         LeapFour(6, 300, c);
         LeapFour(20, 400, c);
       },
       {"warning DATA_CUT frame 400 x2"},
       {{"frames", "300, 400"}}},
      // A step back at a cut is no spike.
      {"SpikeThatEndsAtACut",
       {},
       [](Clip* c) {
         LeapFour(6, 300, c);
         AddTo(5, 0, 60, 299, 299, c);
         AddTo(5, 0, 40, 450, 450, c);
       },
       {"warning DATA_CUT frame 300", "warning DATA_SPIKE joint 5 frame 450"}},
      {"SlowMotionOfThirtyFrames",
       {.frames = 30, .tempo = 0.1},
       [](Clip*) {},
       {"hint DATA_TEMPO_ODD"}},
      {"SlowMotionWithoutARate",
       {.tempo = 0.1},
       [](Clip* c) { c->motion.frame_time = 0; },
       {}},
  };
}

}  // namespace

std::vector<FaultCase> EdgeCases() {
  std::vector<FaultCase> all;
  for (const auto& part :
       {FrozenEdges(), RateEdges(), RepeatEdges(), SpikeEdges(), FarEdges(),
        CalmEdges(), SlowRateEdges(), PulseEdges(), FadeEdges(), LineEdges(),
        CarriedEdges(), ApartEdges(), CutAndTempoEdges()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace bvhmill::testing
