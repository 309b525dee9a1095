#pragma once

// The up axis of a clip, for edits that need it and a caller who does not state
// it.

#include <string>

#include "absl/status/statusor.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {

struct UpGuess {
  // kUnknown: the clip does not show it clearly. See ChooseUpAxis.
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
