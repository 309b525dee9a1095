#pragma once

// The rules of validate.h as an observer: they look at the skeleton and at a
// few sample rows.

#include <memory>

#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// An observer that calls Validate with the samples of the clip.
std::unique_ptr<RowObserver> MakeSampleRules();

}  // namespace bvhmill
