#pragma once

// The observer of the motion rules: it computes the steps of all joints once,
// block by block, and gives them to each rule of its table.

#include <memory>

#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Must come before all observers that use MotionFacts.
std::unique_ptr<RowObserver> MakeMotionRules();

}  // namespace bvhmill
