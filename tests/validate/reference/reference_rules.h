#pragma once

// Parts of the slow twin of the motion rules (motion_reference.h).

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tests/validate/reference/motion_reference.h"
#include "tests/validate/reference/reference_clip.h"

namespace bvhmill::testing {

struct Reference {
  ReferenceClip clip;
  std::vector<Finding> findings;
  bool many_repeats = false;
  bool first_apart = false;
  bool last_apart = false;
  std::set<int64_t> cuts;
};

// The exact angle of a step, which is twice a chord.
double AngleOfStep(double step);

// The sum of the steps of all joints.
double BodyStep(const Reference& r, int64_t t);
// The larger one of the steps before and after a step.
double Neighbour(const ReferenceTrack& track, int64_t t);
// The step to frame t may be a jump: 0 if its speed proves it, or else the mean
// step of the joint, which it has to be a multiple of.
std::optional<double> JumpAt(const Reference& r, const ReferenceTrack& track,
                             int64_t t);
// It is one.
bool IsJump(const Reference& r, const ReferenceTrack& track, int64_t t);

// Rows that are equal to the one before: `rows` of them after row `first`.
struct RepeatRun {
  int64_t first = 0;
  int64_t rows = 0;
};
std::vector<RepeatRun> RunsOf(const std::vector<bool>& repeats);

// Each adds its findings. The first two find out which frames belong to the
// motion; the others need that.
void FindRepeatedRows(Reference* r);
void FindCuts(Reference* r);
void FindExchangedRows(Reference* r);
void FindEvents(Reference* r);
void FindSpins(Reference* r);
void FindJitter(Reference* r);
void FindFrozenJoints(Reference* r);
void FindInterpolated(Reference* r);
void FindTempo(Reference* r);
void FindFlips(Reference* r);
void FindGimbals(Reference* r);
void FindQuantized(Reference* r);
void FindRadians(Reference* r);

}  // namespace bvhmill::testing
