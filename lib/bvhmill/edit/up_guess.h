#pragma once

// Guesses the up axis of a clip that does not state it, from the height of the
// hips and the direction from the feet to the head.

#include <string>

#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct UpGuess {
  // kUnknown if the clip does not show it clearly. See ChooseUpAxis.
  UpAxis axis = UpAxis::kUnknown;
  // The evidence for `axis`: "its poses, the height of its hips".
  std::string evidence;
};

// Looks at the first ROOT in at most 64 frames. Head, feet and hips are found
// by their roles (Recognize); without hips, `body_root` counts. Draws its work
// from `budget`, which may be null, and returns its errors.
absl::StatusOr<UpGuess> GuessUpAxis(const Clip& clip,
                                    const Conventions& conventions,
                                    int32_t body_root, Budget* budget);

}  // namespace bvhmill
