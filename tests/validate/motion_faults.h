#pragma once

// A table of clips with one fault each, at a known place.

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {

using Inject = void (*)(Clip* clip);

struct FaultCase {
  const char* name;
  MotionShape shape;
  Inject inject;
  std::vector<std::string> issues;
  // Args of the first issue that must be so.
  std::vector<std::pair<std::string, std::string>> args = {};
};

// For googletest: the name.
void PrintTo(const FaultCase& c, std::ostream* out);

// All of them.
const std::vector<FaultCase>& FaultCases();
// Short jitter of a joint, and jitter of the root.
std::vector<FaultCase> JitterCases();
// Rotations that lack digits, and rotations in radians.
std::vector<FaultCase> ValueCases();
// Jumps that are spread over several frames.
std::vector<FaultCase> SpreadCases();
std::vector<FaultCase> ThereAndBackCases();
// Joints that often stand still.
std::vector<FaultCase> RestCases();
// Rows that are exchanged.
std::vector<FaultCase> OrderCases();
// Cases next to the thresholds and to the ends of clips.
std::vector<FaultCase> EdgeCases();
// Parts of EdgeCases: clips of 30 frames a second, spikes that were smoothed,
// poses that fade into the motion, lines, and poses that the root carries.
std::vector<FaultCase> SlowRateEdges();
std::vector<FaultCase> PulseEdges();
std::vector<FaultCase> FadeEdges();
std::vector<FaultCase> LineEdges();
std::vector<FaultCase> CarriedEdges();

}  // namespace bvhmill::testing
