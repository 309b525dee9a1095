// Spikes that were smoothed.

#include <algorithm>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

constexpr int32_t kJoint = 3;

// Lets a joint stand still, and turns it in three frames.
void Pulse(float first, float second, float third, int64_t t, Clip* clip) {
  for (int64_t i = 0; i < clip->motion.frames; ++i) {
    for (const int k : {0, 1, 2}) {
      // Rows that repeat are another fault, so the joint turns a little.
      ValueAt(clip, i, kJoint, k) = 0.01F * static_cast<float>(i);
    }
  }
  AddTo(kJoint, 1, first, t, t, clip);
  AddTo(kJoint, 1, second, t + 1, t + 1, clip);
  AddTo(kJoint, 1, third, t + 2, t + 2, clip);
}

void EvenPulse(float degrees, int64_t t, Clip* clip) {
  Pulse(degrees / 2, degrees, degrees / 2, t, clip);
}

constexpr MotionShape k30 = {.frames = 300, .frames_per_second = 30};
const char* const kFound = "warning DATA_SPIKE joint 3 frame 150 to 152";

std::vector<FaultCase> ShapesOfPulses() {
  return {
      {"SmoothedSpike",
       k30,
       [](Clip* c) { EvenPulse(15.5F, 150, c); },
       {kFound},
       {{"frames", "3"}}},
      {"SmallSmoothedSpike",
       k30,
       [](Clip* c) { EvenPulse(14.5F, 150, c); },
       {}},
      {"SmoothedSpikeOfUnevenSteps",
       k30,
       [](Clip* c) { Pulse(13, 30, 13, 150, c); },
       {kFound}},
      {"PeakBetweenSmallSteps",
       k30,
       [](Clip* c) { Pulse(11, 30, 11, 150, c); },
       {}},
      {"SmoothedSpikeThatRisesOnce",
       k30,
       [](Clip* c) { Pulse(20, 21, 20, 150, c); },
       {kFound}},
      {"SmoothedSpikeAfterASmallStep",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         AddTo(kJoint, 1, -2.9F, 149, 299, c);
       },
       {kFound}},
      {"SmoothedSpikeAfterAStep",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         AddTo(kJoint, 1, -3.2F, 149, 299, c);
       },
       {}},
      {"SmoothedSpikeBeforeAStep",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         AddTo(kJoint, 1, 3.2F, 154, 299, c);
       },
       {}},
      {"SmoothedSpikeThatIsBackNearby",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         AddTo(kJoint, 0, 5.8F, 153, 299, c);
       },
       {kFound}},
      {"SwingThatIsNotBack",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         AddTo(kJoint, 0, 6.2F, 153, 299, c);
       },
       {}},
  };
}

std::vector<FaultCase> PlacesAndRatesOfPulses() {
  return {
      {"SmoothedSpikeAt24FramesASecond",
       {.frames = 300, .frames_per_second = 24},
       [](Clip* c) { EvenPulse(16, 150, c); },
       {kFound}},
      {"SwingAt20FramesASecond",
       {.frames = 300, .frames_per_second = 20},
       [](Clip* c) { EvenPulse(30, 150, c); },
       {}},
      {"SmoothedSpikeAtACut",
       k30,
       [](Clip* c) {
         EvenPulse(20, 150, c);
         for (int32_t node = 0; node <= 10; ++node) {
           const int channel = node == 0 ? 4 : 1;
           if (node != kJoint) AddTo(node, channel, 60, 151, 299, c);
         }
       },
       {"warning DATA_CUT frame 151"}},
      // Its middle frame is a spike by itself.
      {"SmoothedSpikeAt120FramesASecond",
       {.frames = 300},
       [](Clip* c) { EvenPulse(20, 150, c); },
       {"warning DATA_SPIKE joint 3 frame 151"}},
      {"EarliestSmoothedSpike",
       k30,
       [](Clip* c) { EvenPulse(20, 4, c); },
       {"warning DATA_SPIKE joint 3 frame 4 to 6"}},
      {"SmoothedSpikeTooEarly", k30, [](Clip* c) { EvenPulse(20, 3, c); }, {}},
      {"LatestSmoothedSpike",
       k30,
       [](Clip* c) { EvenPulse(20, 295, c); },
       {"warning DATA_SPIKE joint 3 frame 295 to 297"}},
      {"SmoothedSpikeTooLate", k30, [](Clip* c) { EvenPulse(20, 296, c); }, {}},
  };
}

}  // namespace

std::vector<FaultCase> PulseEdges() {
  std::vector<FaultCase> all = ShapesOfPulses();
  for (const FaultCase& c : PlacesAndRatesOfPulses()) all.push_back(c);
  return all;
}

}  // namespace bvhmill::testing
