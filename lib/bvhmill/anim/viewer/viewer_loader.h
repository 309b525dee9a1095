#pragma once

// Reads BVH text as the viewer's import does: line by line, forgiving in some
// places and strict in others. The verdict on a file often hangs on its text:
// what ReadBvh repairs may be refused here, and the reverse.
//
// docs/formats/anim.md, section 6, has the rules.

#include <string_view>

#include "bvhmill/anim/viewer/viewer_status.h"
#include "bvhmill/anim/viewer/viewer_take.h"
#include "bvhmill/base/text_position.h"
#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

struct ViewerText {
  ViewerStatus status = ViewerStatus::kOk;
  // The line that the status is about.
  TextPosition place;
  // Whole if the status is kOk. Its values are `values`.
  ViewerTake take;
  UninitializedVector<float> values;
};

// Memory: what `text` holds, never by a number that it states. Never throws.
// Cost: O(bytes), about 80 ns a number.
ViewerText LoadViewerText(std::string_view text);

}  // namespace bvhmill
