#include "tests/validate/reference/motion_reference.h"

#include <algorithm>
#include <tuple>

#include "tests/validate/reference/reference_rules.h"

namespace bvhmill::testing {

std::vector<Finding> ReferenceFindings(const Clip& clip) {
  Reference r;
  r.clip = MakeReferenceClip(clip);
  FindRepeatedRows(&r);
  if (clip.motion.frames < 8) return r.findings;
  FindCuts(&r);
  FindExchangedRows(&r);
  FindEvents(&r);
  FindSpins(&r);
  FindJitter(&r);
  FindInterpolated(&r);
  FindTempo(&r);
  FindFlips(&r);
  FindFrozenJoints(&r);
  FindGimbals(&r);
  FindQuantized(&r);
  FindRadians(&r);
  std::stable_sort(r.findings.begin(), r.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tie(a.code, a.node) < std::tie(b.code, b.node);
                   });
  return r.findings;
}

}  // namespace bvhmill::testing
