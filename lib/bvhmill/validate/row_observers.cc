#include "bvhmill/validate/floor/floor_rules.h"
#include "bvhmill/validate/floor/position_rules.h"
#include "bvhmill/validate/motion/motion_rules.h"
#include "bvhmill/validate/pose_rules.h"
#include "bvhmill/validate/row_observer.h"
#include "bvhmill/validate/sample_rules.h"

namespace bvhmill {
namespace {

using MakeObserver = std::unique_ptr<RowObserver> (*)();

// Every observer there is. They log in this order. The motion rules write facts
// that later observers use.
constexpr MakeObserver kRowObservers[] = {MakeMotionRules, MakeSampleRules,
                                          MakePoseRules, MakePositionRules,
                                          MakeFloorRules};

}  // namespace

std::vector<std::unique_ptr<RowObserver>> MakeRowObservers() {
  std::vector<std::unique_ptr<RowObserver>> observers;
  for (const MakeObserver make : kRowObservers) observers.push_back(make());
  return observers;
}

}  // namespace bvhmill
