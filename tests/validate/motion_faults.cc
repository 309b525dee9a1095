#include "tests/validate/motion_faults.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace bvhmill::testing {
namespace {

// Row t of a clip that is held from `first` on for `count` more frames.
auto Held(int64_t first, int64_t count) {
  return [=](int64_t t) { return t <= first ? t : std::max(first, t - count); };
}

// Frames between every `stride`-th one are straight lines.
void Interpolate(int64_t stride, Clip* clip) {
  const Clip before = *clip;
  const size_t width = clip->skeleton.channels.size();
  const int64_t last = (clip->motion.frames - 1) / stride * stride;
  clip->motion.frames = last + 1;
  clip->motion.values.resize(static_cast<size_t>(last + 1) * width);
  for (int64_t t = 0; t < last; ++t) {
    const int64_t from = t / stride * stride;
    const auto share =
        static_cast<float>(t - from) / static_cast<float>(stride);
    for (size_t c = 0; c < width; ++c) {
      const auto at = [&](int64_t row) {
        return before.motion.values[static_cast<size_t>(row) * width + c];
      };
      clip->motion.values[static_cast<size_t>(t) * width + c] =
          at(from) + share * (at(from + stride) - at(from));
    }
  }
}

void Wiggle(int32_t node, float degrees, int64_t first, int64_t last,
            Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    ValueAt(clip, t, node, 0) += t % 2 == 0 ? degrees : -degrees;
  }
}

// Turns `node` to and fro by `degrees`, once in `period` frames.
void Swing(int32_t node, float degrees, float period, Clip* clip) {
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    const float turn = 6.2832F * static_cast<float>(t) / period;
    ValueAt(clip, t, node, 0) += degrees * std::sin(turn);
  }
}

// Replaces the angles z, x, y of `node` by those of the same rotation:
// R_z(a) R_x(b) R_y(c) = R_z(a + 180) R_x(180 - b) R_y(c + 180).
void UseOtherTriple(int32_t node, int64_t first, int64_t last, Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    ValueAt(clip, t, node, 0) += 180;
    ValueAt(clip, t, node, 1) = 180 - ValueAt(clip, t, node, 1);
    ValueAt(clip, t, node, 2) += 180;
  }
}
MotionShape Usual() { return {}; }

MotionShape SlowRate() {
  MotionShape shape;
  shape.frames_per_second = 30;
  shape.frames = 300;
  return shape;
}

MotionShape Blender() {
  MotionShape shape = SlowRate();
  shape.frames = 250;
  return shape;
}

MotionShape SlowMotion() {
  MotionShape shape;
  shape.tempo = 0.1;
  return shape;
}

std::vector<FaultCase> FrozenCases() {
  return {
      {"NoFault", Usual(), [](Clip*) {}, {}},
      {"NoFaultAt30", SlowRate(), [](Clip*) {}, {}},
      {"OneFrame", {.frames = 1}, [](Clip*) {}, {}},
      {"TwoFrames", {.frames = 2}, [](Clip*) {}, {}},
      {"ThreeFrames", {.frames = 3}, [](Clip*) {}, {}},

      {"FrozenClip",
       Usual(),
       [](Clip* c) { TakeRows([](int64_t) { return 5; }, c); },
       {"warning DATA_FROZEN_CLIP frame 0 to 599"},
       {{"frames", "600"}}},
      {"FrozenInTheMiddle",
       Usual(),
       [](Clip* c) { TakeRows(Held(200, 30), c); },
       {"warning DATA_FROZEN_FRAMES frame 200 to 230"},
       {{"frames", "31"}, {"seconds", "0.2583"}, {"where", "middle"}}},
      {"FrozenAtTheEnd",
       Usual(),
       [](Clip* c) { TakeRows(Held(570, 600), c); },
       {"hint DATA_FROZEN_FRAMES frame 570 to 599"},
       {{"where", "end"}}},
      {"FrozenForAQuarter",
       Usual(),
       [](Clip* c) { TakeRows(Held(400, 600), c); },
       {"warning DATA_FROZEN_FRAMES frame 400 to 599"}},
      {"FrozenSceneOfBlender",
       Blender(),
       [](Clip* c) { TakeRows(Held(100, 250), c); },
       {"warning DATA_FROZEN_FRAMES frame 100 to 249"},
       {{"range", " (250 frames are the default of a Blender scene)"}}},
      {"FrozenAtTheStart",
       Usual(),
       [](Clip* c) {
         TakeRows([](int64_t t) { return std::max<int64_t>(t - 20, 0); }, c);
       },
       {"hint DATA_FROZEN_FRAMES frame 0 to 20"},
       {{"where", "start"}}},
      // The run is four rows, but shorter than 0.1 s; one run is left alone.
      {"FrozenForAMoment",
       Usual(),
       [](Clip* c) { TakeRows(Held(200, 8), c); },
       {}},
  };
}

std::vector<FaultCase> RepeatCases() {
  return {
      {"EveryPoseTwice",
       Usual(),
       [](Clip* c) { TakeRows([](int64_t t) { return t / 2; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "2"}, {"frames", "300"}, {"runs", "300"}}},
      {"EveryPoseThreeTimes",
       Usual(),
       [](Clip* c) { TakeRows([](int64_t t) { return t / 3; }, c); },
       {"warning DATA_REPEATED_FRAMES frame 1"},
       {{"stride", "3"}}},
      {"DroppedFrames",
       Usual(),
       [](Clip* c) {
         for (const int64_t t : {100, 200, 300}) TakeRows(Held(t, 1), c);
       },
       {"warning DATA_REPEATED_FRAMES frame 101"},
       {{"stride", "0"}, {"runs", "3"}}},
      {"TwoDroppedFrames",
       Usual(),
       [](Clip* c) {
         for (const int64_t t : {100, 200}) TakeRows(Held(t, 1), c);
       },
       {}},
      {"RepeatsNearTheEnds",
       Usual(),
       [](Clip* c) {
         for (const int64_t t : {0, 300, 598}) TakeRows(Held(t, 1), c);
       },
       {}},

      {"StraightLinesOfFour",
       Usual(),
       [](Clip* c) { Interpolate(4, c); },
       {"hint DATA_INTERPOLATED"},
       {{"stride", "4"}}},
      {"StraightLinesOfTwo",
       Usual(),
       [](Clip* c) { Interpolate(2, c); },
       {"hint DATA_INTERPOLATED"},
       {{"stride", "2"}}},
  };
}

std::vector<FaultCase> SpikeCases() {
  return {
      {"SpikeOfOneFrame",
       Usual(),
       [](Clip* c) { AddTo(3, 1, 40, 350, 350, c); },
       {"warning DATA_SPIKE joint 3 frame 350"},
       {{"joint", "'J3'"}, {"kind", "rotation"}, {"frames", "1"}}},
      {"SpikesOfOneFrame",
       Usual(),
       [](Clip* c) {
         AddTo(3, 1, 40, 350, 350, c);
         AddTo(3, 0, 80, 450, 450, c);
         AddTo(7, 0, 80, 450, 450, c);
       },
       {"warning DATA_SPIKE joint 3 frame 450 x2",
        "warning DATA_SPIKE joint 7 frame 450"},
       {{"first", "350"}, {"last", "450"}}},
      {"SpikeOfACalmJoint",
       SlowRate(),
       [](Clip* c) {
         for (int64_t t = 0; t < 300; ++t) {
           for (const int k : {0, 1, 2}) ValueAt(c, t, 3, k) *= 0.05F;
         }
         AddTo(3, 1, 20, 150, 150, c);
       },
       {"warning DATA_SPIKE joint 3 frame 150"}},
      {"SpikeTooSmallFor30",
       SlowRate(),
       [](Clip* c) { AddTo(3, 1, 15, 150, 150, c); },
       {}},
      {"SpikeOfSixFrames",
       Usual(),
       [](Clip* c) { AddTo(3, 0, 60, 300, 305, c); },
       {"warning DATA_SPIKE joint 3 frame 300 to 305"},
       {{"frames", "6"}}},
      {"SpikeOfThePosition",
       Usual(),
       [](Clip* c) { AddTo(0, 1, 2, 350, 350, c); },
       {"warning DATA_SPIKE joint 0 frame 350"},
       {{"kind", "position"}}},
      {"InverseForOneFrame",
       Usual(),
       [](Clip* c) {
         for (const int k : {0, 1, 2}) ValueAt(c, 350, 4, k) *= -1;
         AddTo(4, 0, 30, 350, 350, c);
       },
       {"warning DATA_SPIKE joint 4 frame 350"}},
  };
}

std::vector<FaultCase> JumpCases() {
  return {
      {"Jump",
       Usual(),
       [](Clip* c) { AddTo(4, 0, 50, 222, 599, c); },
       {"warning DATA_JUMP joint 4 frame 222"},
       {{"joint", "'J4'"}, {"kind", "rotation"}}},
      {"JumpOfHalfATurn",
       Usual(),
       [](Clip* c) { AddTo(4, 0, 180, 222, 599, c); },
       {"warning DATA_JUMP joint 4 frame 222"}},
      {"JumpsThereAndBackLater",
       Usual(),
       [](Clip* c) { AddTo(4, 0, 50, 222, 322, c); },
       {"warning DATA_JUMP joint 4 frame 222 x2"},
       {{"first", "222"}, {"last", "323"}}},
      {"JumpOfThePosition",
       Usual(),
       [](Clip* c) { AddTo(0, 0, 5, 222, 599, c); },
       {"warning DATA_JUMP joint 0 frame 222"},
       {{"kind", "position"}}},
      {"SmallJump", Usual(), [](Clip* c) { AddTo(4, 0, 6, 222, 599, c); }, {}},

      {"Spin",
       Usual(),
       [](Clip* c) {
         for (int64_t t = 300; t < 600; ++t) {
           const auto turn = static_cast<float>(std::min<int64_t>(t - 299, 12));
           AddTo(2, 2, 30 * turn, t, t, c);
         }
       },
       {"warning DATA_SPIN joint 2 frame 309 to 311 x10"}},

  };
}

void LeapOfFour(Clip* clip) {
  for (int32_t node = 1; node <= 4; ++node) AddTo(node, 0, 6, 300, 599, clip);
}

std::vector<FaultCase> CutCases() {
  return {
      {"Cut",
       Usual(),
       [](Clip* c) {
         TakeRows([](int64_t t) { return t < 300 ? t : 899 - t; }, c);
       },
       {"warning DATA_CUT frame 300"},
       {{"moving", "11"}, {"frames", "300"}}},

      // Of 11 joints 4 leap by 6 degrees: a cut, if the others stood still.
      {"NoCutWhereJointsAlwaysMoveFast",
       Usual(),
       [](Clip* c) {
         LeapOfFour(c);
         for (int32_t node = 5; node < 11; ++node) Swing(node, 45, 30, c);
       },
       {}},
      {"CutOfFourJoints",
       Usual(),
       LeapOfFour,
       {"warning DATA_CUT frame 300"},
       {{"joints", "4"}}},

      {"FirstFrameApart",
       Usual(),
       [](Clip* c) {
         for (int32_t node = 1; node < 11; ++node) AddTo(node, 0, 70, 0, 0, c);
       },
       {"hint DATA_FIRST_FRAME_APART frame 0"},
       {{"joints", "10"}}},
      {"LastFrameApart",
       Usual(),
       [](Clip* c) { AddTo(5, 1, 30, 599, 599, c); },
       {"hint DATA_LAST_FRAME_APART joint 5 frame 599"},
       {{"joints", "1"}, {"where", "'J5'"}}},
  };
}

std::vector<FaultCase> JointCases() {
  return {
      {"Jitter",
       Usual(),
       [](Clip* c) { Wiggle(2, 1, 130, 470, c); },
       {"warning DATA_JITTER joint 2 frame 240 to 359 x3"},
       {{"seconds", "3"}, {"reversals", "120"}}},
      {"JitterForASecond",
       {.frames = 245},
       [](Clip* c) { Wiggle(2, 1, 130, 210, c); },
       {"hint DATA_JITTER joint 2 frame 131 to 210"}},
      {"JitterOfAShortClip",
       {.frames = 235},
       [](Clip* c) { Wiggle(2, 1, 130, 210, c); },
       {"warning DATA_JITTER joint 2 frame 131 to 210"}},
      {"SmallJitter", Usual(), [](Clip* c) { Wiggle(2, 0.1F, 0, 599, c); }, {}},

      {"FrozenJoint",
       Usual(),
       [](Clip* c) {
         const Clip before = *c;
         for (int64_t t = 200; t <= 300; ++t) {
           for (const int k : {0, 1, 2}) {
             ValueAt(c, t, 6, k) = ValueAt(c, 200, 6, k);
           }
         }
         for (int64_t t = 301; t < 600; ++t) {
           for (const int k : {0, 1, 2}) {
             Clip copy = before;
             ValueAt(c, t, 6, k) =
                 before.motion
                     .values[static_cast<size_t>(t - 100) *
                                 before.skeleton.channels.size() +
                             static_cast<size_t>(
                                 before.skeleton.nodes[6].first_channel + k)];
           }
         }
       },
       {"warning DATA_FROZEN_JOINT joint 6 frame 200 to 300"},
       {{"frames", "101"}, {"seconds", "0.8417"}}},
      {"JointThatNeverMoves",
       Usual(),
       [](Clip* c) {
         for (int64_t t = 0; t < 600; ++t) {
           for (const int k : {0, 1, 2}) ValueAt(c, t, 6, k) = 7;
         }
       },
       {}},
  };
}

std::vector<FaultCase> AngleCases() {
  return {
      {"SlowMotion", SlowMotion(), [](Clip*) {}, {"hint DATA_TEMPO_ODD"}},
      {"OtherTriple",
       Usual(),
       [](Clip* c) { UseOtherTriple(4, 300, 399, c); },
       {"hint DATA_EULER_FLIP joint 4 frame 300 x2"},
       {{"flips", "1"}, {"wraps", "1"}, {"joints", "1"}, {"last", "400"}}},
      {"FullTurn",
       Usual(),
       [](Clip* c) { AddTo(4, 0, 360, 300, 599, c); },
       {"info DATA_EULER_FLIP joint 4 frame 300"},
       {{"flips", "0"}, {"wraps", "1"}}},

      {"GimbalLock",
       Usual(),
       [](Clip* c) {
         for (int64_t t = 0; t < 600; ++t) {
           const float swing = 100 * std::sin(static_cast<float>(t) / 20);
           ValueAt(c, t, 5, 0) = swing;
           ValueAt(c, t, 5, 1) =
               89.5F + 0.2F * std::sin(static_cast<float>(t) / 15);
           ValueAt(c, t, 5, 2) = -swing;
         }
       },
       {"hint DATA_GIMBAL_NEAR joint 5 frame 126 x597"}},
  };
}

}  // namespace

void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

const std::vector<FaultCase>& FaultCases() {
  static const std::vector<FaultCase> cases = [] {
    std::vector<FaultCase> all;
    for (const auto& part :
         {FrozenCases(), RepeatCases(), SpikeCases(), JumpCases(), CutCases(),
          JointCases(), JitterCases(), AngleCases(), ValueCases(), OrderCases(),
          SpreadCases(), ThereAndBackCases(), RestCases(), EdgeCases()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return cases;
}

}  // namespace bvhmill::testing
